"""A device with noise: it wraps another device and decides when noise appears.

`noisy_device` wraps the device and chooses the noise of each action, and `overlay` is a pop-up or
ad while it is on the screen. What noise looks like is defined in
`pytest_mobileagent.noise`, which needs no device.
"""
