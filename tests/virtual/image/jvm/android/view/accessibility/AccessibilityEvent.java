package android.view.accessibility;

import java.util.ArrayList;
import java.util.List;

/** As in Android 8, which has no getters of the deltas of scrolling. */
public class AccessibilityEvent {
    public static final int CONTENT_CHANGE_TYPE_UNDEFINED = 0;
    public static final int CONTENT_CHANGE_TYPE_SUBTREE = 1;
    public static final int CONTENT_CHANGE_TYPE_TEXT = 2;
    public static final int WINDOWS_CHANGE_ADDED = 1;
    public static final int WINDOWS_CHANGE_REMOVED = 2;

    public int type, contentChanges, windowChanges, fromIndex = -1, scrollY;
    public boolean enabled, checked;
    public CharSequence packageName, className, contentDescription, beforeText;
    public List<CharSequence> text = new ArrayList<>();
    public AccessibilityNodeInfo source;

    public static AccessibilityEvent obtain() {
        return new AccessibilityEvent();
    }

    public static String eventTypeToString(int type) {
        return type == 1 ? "TYPE_VIEW_CLICKED" : "TYPE_WINDOWS_CHANGED";
    }

    public int getEventType() { return type; }
    public long getEventTime() { return type == 0 ? 0 : 8543; }
    public CharSequence getPackageName() { return packageName; }
    public CharSequence getClassName() { return className; }
    public CharSequence getContentDescription() { return contentDescription; }
    public CharSequence getBeforeText() { return beforeText; }
    public List<CharSequence> getText() { return text; }
    public boolean isEnabled() { return enabled; }
    public boolean isChecked() { return checked; }
    public int getFromIndex() { return fromIndex; }
    public int getScrollY() { return scrollY; }
    public int getContentChangeTypes() { return contentChanges; }
    public int getWindowChanges() { return windowChanges; }
    public AccessibilityNodeInfo getSource() { return source; }
}
