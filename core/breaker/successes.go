package breaker

import "time"

// lately is the length of a span in which successes are counted: with the one before it, between ten
// and twenty seconds.
const lately = 10 * time.Second

// successes counts those of late, by two spans of time that follow each other.
type successes struct {
	span         window // the present one
	now, earlier int    // in it, and in the one before
}

// at returns the count as it stands at now. A clock that went back keeps the present span.
func (s successes) at(now instant) successes {
	switch s.span = s.span.seen(now); {
	case now >= s.span.until+instant(lately):
		return successes{span: begin(now, lately)}
	case s.span.over(now):
		return successes{window{s.span.until, s.span.until + instant(lately)}, 0, s.now}
	}
	return s
}

// and adds one.
func (s successes) and(now instant) successes {
	s = s.at(now)
	s.now++
	return s
}

func (s successes) count(now instant) int {
	s = s.at(now)
	return s.now + s.earlier
}
