import { first, instead, type Planted } from './pick.ts'

/** Faults of calls and of the sites' credentials. */
export const plantedInCalls: Planted[] = [
  {
    what: 'a call that must be made once comes twice',
    under: 'once repeated',
    plant({ calls, arrivals }) {
      const once = new Set(calls.filter(({ effect }) => effect === 'once').map(({ key }) => key))
      const arrival = first(
        arrivals.filter(({ key }) => once.has(key)),
        'call',
      )
      return { arrivals: [...arrivals, { ...arrival, at: arrival.at + 1000 }] }
    },
  },
  {
    what: 'a site never saw a call that succeeded',
    under: 'never seen by the site',
    plant({ calls, arrivals }) {
      const { key } = first(
        calls.filter(({ status }) => status === 'succeeded'),
        'call',
      )
      return { arrivals: arrivals.filter((arrival) => arrival.key !== key) }
    },
  },
  {
    what: 'a call comes that the record does not have',
    under: 'not to be sent',
    plant: ({ arrivals }) => ({ arrivals: [...arrivals, { ...first(arrivals, 'request'), key: 'unknown:1:0' }] }),
  },
  {
    what: 'a call comes that was not begun',
    under: 'not to be sent',
    plant({ calls, arrivals }) {
      const call = first(calls, 'call', ({ key }) => arrivals.some((one) => one.key === key))
      return { calls: instead(calls, call, { ...call, status: 'failed', attempts: 0 }) }
    },
  },
  {
    what: 'a call comes more often than it was begun',
    under: 'not to be sent',
    plant({ calls, arrivals }) {
      const call = first(
        calls,
        'call',
        ({ key, effect }) => effect !== 'once' && arrivals.some((one) => one.key === key),
      )
      const arrival = first(arrivals, 'request', ({ key }) => key === call.key)
      return { arrivals: [...arrivals, ...Array<typeof arrival>(call.attempts).fill(arrival)] }
    },
  },
  {
    what: "a call comes after its end, while another site's road is held",
    under: 'not to be sent',
    plant({ calls, arrivals, blows }) {
      const call = first(
        calls,
        'call',
        ({ key, endedAt }) => endedAt !== null && arrivals.some((one) => one.key === key),
      )
      const arrival = first(arrivals, 'request', ({ key }) => key === call.key)
      const at = (call.endedAt ?? 0) + 60_000
      const hold = { kind: 'hold' as const, name: 'another road', site: 'another', from: 0, until: at + 1 }
      return { arrivals: instead(arrivals, arrival, { ...arrival, at }), blows: [...blows, hold] }
    },
  },
  {
    what: 'a call is left as started',
    under: 'without an end',
    plant({ calls }) {
      const call = first(calls, 'call', ({ status }) => status === 'succeeded')
      return { calls: instead(calls, call, { ...call, status: 'started', endedAt: null }) }
    },
  },
  {
    what: 'a direct call that was answered is not recorded',
    under: 'lost',
    plant({ accepted, calls }) {
      const { id } = first(accepted, 'direct call', ({ what }) => what === 'direct call')
      return { calls: calls.filter((call) => call.id !== id) }
    },
  },
  {
    what: 'a decision that was answered is not recorded',
    under: 'lost',
    plant({ accepted, approvals }) {
      const { id } = first(accepted, 'decision', ({ what }) => what === 'decision')
      const approval = first(approvals, 'approval', (one) => one.id === id)
      return { approvals: instead(approvals, approval, { ...approval, status: 'pending' }) }
    },
  },
  {
    what: 'a connection ends although its token was not used up',
    under: 'grants lost',
    plant: ({ lostGrants }) => ({ lostGrants: [...lostGrants, { entryId: 'an entry', generation: 7 }] }),
  },
  {
    what: 'a refresh token is sent again after its answer was recorded',
    under: 'grants lost',
    plant({ tokenRequests, refreshes }) {
      const isRecorded = (at: number) =>
        refreshes.some((one) => one.outcome === 'refreshed' && one.startedAt <= at + 1 && at <= (one.endedAt ?? 0))
      const granted = first(
        tokenRequests,
        'refresh',
        (one) => one.grantType === 'refresh_token' && one.status === 200 && isRecorded(one.at),
      )
      const again = { ...granted, at: granted.at + 30_000, status: 400, error: 'invalid_grant', consumedBefore: true }
      return { tokenRequests: [...tokenRequests, again] }
    },
  },
  {
    what: 'a log has a secret',
    under: 'secrets in logs',
    plant({ logs, secrets }) {
      const log = first(logs, 'log')
      const text = `${log.text}\n{"authorization":"Bearer ${first(secrets, 'secret').value}"}`
      return { logs: instead(logs, log, { ...log, text }) }
    },
  },
]
