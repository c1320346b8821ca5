// SPDX-License-Identifier: GPL-2.0
// A stand-in for tests: provokes real kernel reports in which the names stand that GPU hosts show. Nothing of a driver is in it.
// Commands are written to /dev/nvidia-uvm, one a write: softlockup N, hardlockup N, oops, bug, hang, release, "k TEXT" (one kernel line).
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

static DEFINE_MUTEX(uvm_lock);
static DEFINE_SPINLOCK(gpu_lock);
static struct task_struct *holder;

static int hold(void *unused)
{
	mutex_lock(&uvm_lock);
	while (!kthread_should_stop())
		schedule_timeout_idle(HZ);
	mutex_unlock(&uvm_lock);
	return 0;
}

static void let_go(void)
{
	if (holder)
		kthread_stop(holder);
	holder = NULL;
}

noinline void uvm_va_space_destroy(void *space)
{
	mutex_lock(&uvm_lock);
	mutex_unlock(&uvm_lock);
	barrier();
}

noinline int uvm_release(struct inode *inode, struct file *file)
{
	uvm_va_space_destroy(file);
	barrier();
	return 0;
}

static noinline void gpu_irq_storm(unsigned int seconds)
{
	unsigned long n = seconds * 1000UL;

	while (n--)
		mdelay(1);
}

static void act(char *text)
{
	unsigned int seconds = 60;
	unsigned long flags;

	if (!strncmp(text, "softlockup", 10)) {
		sscanf(text + 10, "%u", &seconds);
		preempt_disable();
		gpu_irq_storm(seconds);
		preempt_enable();
	} else if (!strncmp(text, "hardlockup", 10)) {
		sscanf(text + 10, "%u", &seconds);
		spin_lock_irqsave(&gpu_lock, flags);
		gpu_irq_storm(seconds);
		spin_unlock_irqrestore(&gpu_lock, flags);
	} else if (!strncmp(text, "oops", 4)) {
		*(volatile int *)0x10 = 1;
	} else if (!strncmp(text, "bug", 3)) {
		BUG();
	} else if (!strncmp(text, "hang", 4)) {
		if (!holder)
			holder = kthread_run(hold, NULL, "nv_queue");
		msleep(200);
	} else if (!strncmp(text, "release", 7)) {
		let_go();
	} else if (!strncmp(text, "k ", 2)) {
		printk(KERN_ERR "%s\n", text + 2);
	}
}

static ssize_t uvm_write(struct file *file, const char __user *from, size_t n, loff_t *at)
{
	char *text;

	if (n > 1000)
		return -EINVAL;
	text = memdup_user_nul(from, n);
	if (IS_ERR(text))
		return PTR_ERR(text);
	strim(text);
	act(text);
	kfree(text);
	return n;
}

static const struct file_operations uvm_files = {
	.owner = THIS_MODULE,
	.write = uvm_write,
	.release = uvm_release,
	.open = nonseekable_open,
};

static struct miscdevice uvm_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "nvidia-uvm",
	.fops = &uvm_files,
	.mode = 0666,
};

static int __init start(void)
{
	return misc_register(&uvm_device);
}

static void __exit stop(void)
{
	let_go();
	misc_deregister(&uvm_device);
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Provokes kernel reports, for tests");
