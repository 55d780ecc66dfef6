package bind

import (
	"errors"
	"strings"

	"holdfast/core"
	"holdfast/core/json"
	"holdfast/core/pace"
)

func shape(to *pace.Shape) setter {
	return func(v json.Value) error {
		switch shape := pace.Shape(v.Text()); shape {
		case pace.Full, pace.Added:
			*to = shape
			return nil
		}
		return errors.New(`must be "full" or "added"`)
	}
}

func budget(b *pace.Budget, where string) setter {
	return func(v json.Value) error {
		return options(v, where, []option{
			{"attempts", whole(&b.Attempts, 1, 100)},
			{"backoff", shape(&b.Backoff)},
			{"backoffBaseMs", ms(&b.Base, maxMs)},
			{"backoffCapMs", ms(&b.Cap, maxMs)},
			{"maxHintMs", ms(&b.MaxHint, maxMs)},
			{"windowMs", limit(&b.Window)},
			{"totalMs", limit(&b.Total)},
			{"continues", whole(&b.Continues, 0, 10)},
		})
	}
}

// policy reads what a client or a call sets of a policy. Of the two budgets only the one for this
// kind of call is kept; both are checked.
func policy(p *core.Policy, background bool) setter {
	return func(v json.Value) error {
		owner := !p.Passive
		other := p.Budget
		live, away := &p.Budget, &other
		if background {
			live, away = away, live
		}
		err := options(v, "policy", []option{
			{"owner", flag(&owner)},
			{"interactive", budget(live, "interactive")},
			{"background", budget(away, "background")},
			{"headersMs", limit(&p.Headers)},
			{"firstDeltaMs", limit(&p.FirstDelta)},
			{"switchMs", limit(&p.Switch)},
			{"idleMs", limit(&p.Idle)},
			{"drainMs", ms(&p.Drain, 2000)},
			{"maxBodyBytes", whole(&p.MaxBody, 1, 256<<20)},
			{"maxEventBytes", whole(&p.MaxEvent, 1, 256<<20)},
			{"continuation", func(v json.Value) error {
				if !strings.Contains(v.Text(), "{partial}") {
					return errors.New("must be text that contains {partial}")
				}
				p.Continuation = v.Text()
				return nil
			}},
		})
		p.Passive = !owner
		return err
	}
}
