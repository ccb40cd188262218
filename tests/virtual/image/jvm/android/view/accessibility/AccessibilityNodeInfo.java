package android.view.accessibility;

import android.graphics.Rect;

public class AccessibilityNodeInfo {
    private final String id;

    public AccessibilityNodeInfo(String id) {
        this.id = id;
    }

    public String getViewIdResourceName() {
        return id;
    }

    public void getBoundsInScreen(Rect bounds) {
        bounds.left = 53;
        bounds.top = 780;
        bounds.right = 283;
        bounds.bottom = 885;
    }
}
