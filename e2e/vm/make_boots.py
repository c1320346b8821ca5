"""Makes captured boots: `python3 e2e/vm/make_boots.py [--into DIR] [STORY...]`; without a story it lists them."""

import argparse
import pathlib
import shutil

import image
from story import play
from stories import gpu, healthy, kernel, machine_end, storage

STORIES = {**gpu.STORIES, **healthy.STORIES, **kernel.STORIES, **machine_end.STORIES, **storage.STORIES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=pathlib.Path, default=image.CACHE / "boots")
    parser.add_argument("story", nargs="*", choices=[[], *STORIES])
    asked = parser.parse_args()
    if not asked.story:
        for name, acts in STORIES.items():
            print(f"{name}: {', '.join(act.name for act in acts if act.name)}")
        return
    reason = image.why_not()
    if reason:
        raise SystemExit(reason)
    for name in asked.story:
        work = image.CACHE / "run" / name
        shutil.rmtree(work, ignore_errors=True)
        play(STORIES[name], work, asked.into, lambda text: print(text, flush=True))


if __name__ == "__main__":
    main()
