package live

import "holdfast/core/time"

// message is what the caller sent, from there until the server's state holds it.
type message struct {
	n     int
	data  []byte // nil when it is not kept for sending again
	asks  bool   // it asks for a turn
	tool  bool   // it answers tool calls: ids
	rides bool   // it belongs to the turn under way (sound, tool answers) and does not wait for its end
	ids   []string
	place int       // as the server counts it on this connection
	at    time.Time // when it went out
	tries int       // how often it was sent in vain
}

// outbox keeps the caller's messages in order. Every message is in one of the two lists, or gone.
//
// Invariant: bytes is the length of all data kept, and numbers rise along sent and then queue.
type outbox struct {
	count int       // messages that the caller sent so far
	queue []message // not on the way yet
	sent  []message // on the way over this connection, and not yet in a state that can be restored
	bytes int
}

// add queues a message.
func (o *outbox) add(m message) {
	o.queue = append(o.queue, m)
	o.bytes += len(m.data)
}

// take removes queue[i].
func (o *outbox) take(i int) message {
	m := o.queue[i]
	o.queue = append(o.queue[:i], o.queue[i+1:]...)
	o.bytes -= len(m.data)
	return m
}

// keep notes a message as sent; its data is kept when it may have to be sent again.
func (o *outbox) keep(m message, again bool) {
	if !again {
		m.data = nil
	}
	o.sent = append(o.sent, m)
	o.bytes += len(m.data)
}

// confirm forgets the sent messages that the server's state holds.
func (o *outbox) confirm(held func(*message) bool) {
	kept := o.sent[:0]
	for i := range o.sent {
		if held(&o.sent[i]) {
			o.bytes -= len(o.sent[i].data)
		} else {
			kept = append(kept, o.sent[i])
		}
	}
	clear(o.sent[len(kept):])
	o.sent = kept
}

// every is for what takes all messages.
func every(*message) bool { return true }

// back puts the sent messages that may be sent again before the queue, and returns the others.
func (o *outbox) back(again func(*message) bool) (lost []message) {
	var front []message
	for i := range o.sent {
		if m := o.sent[i]; m.data != nil && again(&m) {
			front = append(front, m)
		} else {
			o.bytes -= len(m.data)
			lost = append(lost, m)
		}
	}
	o.sent = nil
	o.queue = append(front, o.queue...)
	return lost
}

// drop removes messages from the queue and returns them.
func (o *outbox) drop(these func(*message) bool) (dropped []message) {
	kept := o.queue[:0]
	for i := range o.queue {
		if m := o.queue[i]; these(&m) {
			o.bytes -= len(m.data)
			dropped = append(dropped, m)
		} else {
			kept = append(kept, m)
		}
	}
	clear(o.queue[len(kept):])
	o.queue = kept
	return dropped
}

// trim holds the bytes to a bound: first what is only kept for sending again, the oldest first,
// then the oldest that wait, which it returns.
func (o *outbox) trim(limit int) (dropped []message) {
	for i := 0; i < len(o.sent) && o.bytes > limit; i++ {
		o.bytes -= len(o.sent[i].data)
		o.sent[i].data = nil
	}
	for o.bytes > limit && len(o.queue) > 0 {
		dropped = append(dropped, o.take(0))
	}
	return dropped
}
