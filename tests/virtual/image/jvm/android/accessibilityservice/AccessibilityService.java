package android.accessibilityservice;

import android.view.accessibility.AccessibilityEvent;

public abstract class AccessibilityService {
    public abstract void onAccessibilityEvent(AccessibilityEvent event);

    public abstract void onInterrupt();
}
