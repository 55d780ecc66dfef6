package pace

import (
	"math/rand/v2"
	"testing"

	"holdfast/core/time"
)

var noon = time.Unix(1796040000, 0) // 2026-11-30 12:00 UTC

// One person's retries: a call every seven seconds, each of which needs all its three retries, for
// ten minutes.
func TestThrottleLeavesOnePersonAlone(t *testing.T) {
	var th Throttle
	for call := range 10 * 60 / 7 {
		now := noon.Add(time.Duration(call) * 7 * time.Second)
		for n, wait := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
			if now = now.Add(wait); !th.Retry(now) {
				left, _ := th.Left(now)
				t.Fatalf("call %d, retry %d: throttled, %d left", call, n+1, left)
			}
		}
		th.Succeeded()
	}
}

func TestThrottleTenCallsAtOnce(t *testing.T) {
	var th Throttle
	for n := range 31 {
		if ok := th.Retry(noon); ok != (n < 30) {
			t.Fatalf("retry %d: %v", n+1, ok)
		}
	}
	if th.Retry(noon.Add(1999 * time.Millisecond)) {
		t.Fatal("too soon")
	}
	if !th.Retry(noon.Add(2 * time.Second)) {
		t.Fatal("time earns a retry")
	}
	for range 5 {
		th.Succeeded()
	}
	if !th.Retry(noon.Add(2*time.Second)) || th.Retry(noon.Add(2*time.Second)) {
		t.Fatal("five successes earn one retry")
	}
}

func TestThrottleOff(t *testing.T) {
	th := Throttle{Off: true}
	for range 1000 {
		if !th.Retry(noon) {
			t.Fatal("throttled")
		}
	}
	if _, bounded := th.Left(noon); bounded {
		t.Fatal("it says that it is bounded")
	}
}

// A busy client in a brown-out: a hundred calls a second, half of the attempts fail.
func TestThrottleInABrownOut(t *testing.T) {
	var th Throttle
	r := rand.New(rand.NewPCG(1, 2))
	calls, retries := 0, 0
	for now := noon; now.Before(noon.Add(10 * time.Minute)); now = now.Add(10 * time.Millisecond) {
		calls++
		for n := 0; ; n++ {
			if r.IntN(2) == 0 {
				th.Succeeded()
				break
			}
			if n == 3 || !th.Retry(now) {
				break
			}
			retries++
		}
	}
	if load := 1 + float64(retries)/float64(calls); load > 1.2 {
		t.Fatalf("the load is %.2f times the ordinary", load)
	}
}

// FuzzThrottle: over any stretch of time, retries stay within the floor, the share of successes and
// what time earned; and a clock that goes back earns nothing.
func FuzzThrottle(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 1, 90, 0, 250, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		var th Throttle
		now, passed := noon, time.Duration(0)
		retries, successes := int64(0), int64(0)
		for _, op := range script {
			switch {
			case op < 100:
				if th.Retry(now) {
					retries++
				}
			case op < 150:
				th.Succeeded()
				successes++
			default:
				step := time.Duration(int(op)-180) * 20 * time.Millisecond
				now = now.Add(step)
				passed += max(0, step)
			}
			if allowed := 30*whole + successes*200 + int64(passed/(2*time.Millisecond)); retries*whole > allowed {
				t.Fatalf("%d retries after %d successes and %v", retries, successes, passed)
			}
			if left, _ := th.Left(now); left < 0 || left > 30 {
				t.Fatalf("%d left", left)
			}
		}
		if used, _ := th.Used(); used < 0 || used > 30*whole {
			t.Fatalf("%d used", used)
		}
	})
}

func ExampleThrottle() {
	var t Throttle
	now := noon
	if t.Retry(now) { // before a retry
		// … wait, send …
		t.Succeeded() // the answer came to its end
	}
	// Output:
}
