"""The smallest HTTP client that tells healthy from not."""

import http.client


def status(port: int, path: str = "/health", timeout: float = 1.0) -> int | None:
    """Status of one GET to loopback, or None when nothing answered."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def healthy(port: int) -> bool:
    return status(port) == 200
