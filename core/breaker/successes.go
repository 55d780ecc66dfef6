package breaker

import "holdfast/core/time"

// lately is the length of a span in which successes are counted: with the one before it, between ten
// and twenty seconds.
const lately = 10 * time.Second

// successes counts those of late, by two spans of time that follow each other.
type successes struct {
	span         Rest // the present one
	now, earlier int  // in it, and in the one before
}

// at returns the count as it stands at now. A clock that went back keeps the present span.
func (s successes) at(now time.Time) successes {
	switch s.span = s.span.seen(now); {
	case !now.Before(s.span.Until.Add(lately)):
		return successes{span: begin(now, lately)}
	case s.span.over(now):
		return successes{begin(s.span.Until, lately), 0, s.now}
	}
	return s
}

// and adds one.
func (s successes) and(now time.Time) successes {
	s = s.at(now)
	s.now++
	return s
}

func (s successes) count(now time.Time) int {
	s = s.at(now)
	return s.now + s.earlier
}
