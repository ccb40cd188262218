import android.accessibilityservice.AccessibilityService;
import android.net.Credentials;
import android.os.MessageQueue;
import android.view.accessibility.AccessibilityEvent;
import android.view.accessibility.AccessibilityNodeInfo;
import java.io.BufferedReader;
import java.io.InputStreamReader;

/** Starts the service, and does what it reads: `click 3` sends three events, `uid 0` poses as root. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        Class<?> kind = Class.forName("org.mobileagent.listener.ListenerService");
        AccessibilityService service = (AccessibilityService) kind.getConstructor().newInstance();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            int number = Integer.parseInt(words[1]);
            if (words[0].equals("uid")) Credentials.uid = number;
            else MessageQueue.MAIN.submit(() -> send(service, words[0], number)).get();
            System.out.println("done");
        }
    }

    private static void send(AccessibilityService service, String what, int times) {
        for (int i = 0; i < times; i++) {
            service.onAccessibilityEvent(what.equals("click") ? click() : windows());
        }
    }

    private static AccessibilityEvent click() {
        AccessibilityEvent event = AccessibilityEvent.obtain();
        event.type = 1;
        event.packageName = new StringBuilder("com.google.android.deskclock");
        event.className = "android.widget.Button";
        event.text.add(new StringBuilder("+ \"1:00\"\n"));
        event.text.add(null);
        event.text.add("北/ü");
        event.contentDescription = "Add 1 Minute";
        event.beforeText = "";
        event.enabled = true;
        event.fromIndex = 0;
        event.scrollY = 7;
        event.source = new AccessibilityNodeInfo("com.google.android.deskclock:id/add_one_min");
        return event;
    }

    private static AccessibilityEvent windows() {
        AccessibilityEvent event = AccessibilityEvent.obtain();
        event.type = 0x400000;
        event.windowChanges = 3;
        event.contentChanges = 2;
        return event;
    }
}
