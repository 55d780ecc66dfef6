// Package bind drives the core from JavaScript. It is the Go side of one protocol; the other
// side is wasm/js/protocol.js, and both open with the same text:
//
// The program and its host share integer handles and bytes in linear memory.
//
// Inward, the host calls exports. It asks hf_in(n) for room, writes n bytes there, and calls an
// export; every export except hf_protocol, hf_in and hf_out runs to its end at once, takes the
// present time in milliseconds where time matters, and returns one number r:
//
//	r < 0    the handle is unknown, or its call has ended: nothing to do
//	r >= 0   r & 1 (READ)  the host should read the attempt's next chunk
//	         r & 2 (TEXT)  the output is the UTF-8 of one text delta, else it is JSON
//	         r >> 3        the length of the output, which begins at hf_out()
//
// JSON output is an array of {"delta":…}, {"cursor":…}, {"event":…}, {"done":…} and {"error":…}, in
// order. It stands until the next export is called, and the host delivers it only after the export
// has returned: user code never runs inside the program. Cursors come where a gateway asks for them.
//
// Of a fetch, TEXT says that the output is n in 4 bytes, the lowest first, then n bytes of the
// response's body, then JSON, if any, in which {"head":…} begins the response, before those bytes.
// An output of 1 byte, which is not read, says that the chunk that has come goes out as it is.
//
//	hf_protocol()                                 version of this protocol
//	hf_in(n), hf_out()                            pointers; take a fresh view after each
//	hf_client(client, n)                          options, JSON
//	hf_close(client)
//	hf_open(client, call, bits, n, m, now)        n bytes of options, JSON, then m bytes of body;
//	                                              bits: 1 a stream, 2 the network is away, 4 a
//	                                              fetch: its options are {url, id, outer}, an output
//	                                              of nothing says that the request is no call;
//	                                              8 it was cancelled before: nothing is sent
//	hf_quote(client, bits, n, m, now)             as hf_open: {costUsd} that one attempt may cost;
//	                                              nothing when the request is no call
//	hf_responded(call, attempt, status, n, now)   headers, JSON [[name, value], …]
//	hf_received(call, attempt, n, now)            a chunk of the response body
//	hf_ended(call, attempt, now)                  the body ended cleanly
//	hf_broke(call, attempt, n, now)               {name, code, message} of the failure, JSON
//	hf_demand(call, now)                          the consumer has room for one more delta
//	hf_flow(call, now)                            it takes all, until hf_demand is called again
//	hf_tick(call, now)                            the time that wake asked for has come
//	hf_abort(call, left, now)                     the caller cancelled, or only leaves (1): what is
//	                                              made without us is not stopped then
//	hf_online(call, online, now)                  the network went away (0) or came back (1)
//	hf_free(call)                                 forget a call, also one that runs
//	hf_live(client, session, n, m, now)           n bytes of options, JSON, then m bytes of setup
//	hf_opened(session, connection, now)           a connection's socket is open
//	hf_message(session, connection, n, now)       it brought a message, JSON
//	hf_closed(session, connection, n, now)        it ended, or did not open: JSON {code, reason} of
//	                                              the close frame, {status, headers, body} of a
//	                                              refused handshake, as far as they are known,
//	                                              {name, errorCode, message} of an error
//	hf_say(session, n, now)                       the caller sends a message, JSON
//	hf_shut(session, now)                         the caller has no more to say
//	hf_classify(n, m)                             n bytes {provider, status, headers}, then m of body
//	hf_retryable(n)                               {provider, error}
//	hf_limits(n, now)                             {provider, headers}
//	hf_health(client, now)
//	hf_state(client, changes)                     what its calls know of each other, as text:
//	                                              all, or what has changed since the last time
//	hf_restore(client, kind, n, now)              n bytes of that: 0 all, 1 changes; 2 two of all, a
//	                                              line each: adds the money that the second one has
//	                                              beyond the first
//
// Outward, the program imports functions of the module "holdfast". Each returns at once and must
// not throw:
//
//	ready()                     exports may be called from now on
//	send(call, attempt, request, n, body, m)
//	                            n bytes of JSON at request, {target, method, url, auth, headers},
//	                            and m bytes of body, both to be copied before it returns. auth is
//	                            "", or a header with its scheme to complete with the secret of
//	                            that target, such as "authorization: Bearer "; target is 0, or the
//	                            place in the client's targets plus 1; headers is [[name, value], …].
//	                            Attempt 0 is none: its outcome is not told, and it outlives the call
//	cancel(call, attempt, whole)
//	                            stop an attempt's exchange; with 1 its answer is whole, and the body
//	                            should end by itself, so that its connection can serve again
//	connect(session, connection, request, n)
//	                            open a socket as n bytes of JSON say, {url, door, protocols,
//	                            headers}. door tells where the secret goes: {header, key, token,
//	                            protocol}, the forms of core/live's Door
//	transmit(session, connection, frame, n)
//	                            send n bytes as one text frame, to be copied before it returns
//	disconnect(session, connection)
//	                            close a connection's socket with code 1000
//	wake(call, ms, wait)        call hf_tick in ms milliseconds, instead of any earlier wish;
//	                            ms < 0: never. wait is 1 for a wait between attempts, which
//	                            an injected sleep may cut short: hf_tick's now then counts as
//	                            the time that was waited for.
//	random()                    uniform in [0, 1)
//
// A live session's handle is one of a call: hf_tick, hf_abort, hf_online, hf_free and wake take it
// too. Its output is an array of {"item":…}, {"event":…}, {"done":…} and {"error":…}.
package bind

// Protocol is the version that both sides must agree on.
const Protocol = 1

// Bits that say what hf_open opens.
const (
	streamBit    = 1
	awayBit      = 2
	fetchBit     = 4
	cancelledBit = 8
)

// Bits of an export's result.
const (
	readBit   = 1
	textBit   = 2
	lengthBit = 3 // shift of the output's length
)
