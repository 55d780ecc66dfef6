package main

import "holdfast/core/time"

// queue is what is going to happen, earliest first. What happens at the same instant does so in the
// order in which it was planned, so that a seed always tells the same story.
type queue struct {
	heap    []moment
	planned uint64
}

// moment is when a call goes on; no call stands for the next arrival.
type moment struct {
	at    time.Duration // since the beginning
	order uint64
	call  *call
}

func (m *moment) before(o *moment) bool {
	return m.at < o.at || m.at == o.at && m.order < o.order
}

func (q *queue) plan(at time.Duration, c *call) {
	q.planned++
	q.heap = append(q.heap, moment{at, q.planned, c})
	h := q.heap
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(&h[parent]) {
			break
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (q *queue) next() (m moment, ok bool) {
	h := q.heap
	if len(h) == 0 {
		return m, false
	}
	m = h[0]
	last := len(h) - 1
	h[0], h[last] = h[last], moment{}
	h = h[:last]
	q.heap = h
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h[child+1].before(&h[child]) {
			child++
		}
		if !h[child].before(&h[i]) {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	return m, true
}
