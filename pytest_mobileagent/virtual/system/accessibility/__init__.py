"""Accessibility: the nodes and events that assistive services and test tools receive."""
