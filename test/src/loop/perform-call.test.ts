import test from 'ava'
import { createPerformCall, type CallLedger } from '../../../src/loop/perform-call.ts'
import type { CallOutcome } from '../../../src/tools/call-outcome.ts'
import type { Ledger, Sent } from '../../../src/tools/sender.ts'
import type { Sending } from '../../../src/tools/sending.ts'

type Call = { effect: 'idempotent' | 'once'; status: 'planned' | 'started'; attempts: number; refusedAttempts: number }

const ok = { kind: 'succeeded', httpStatus: 200, text: '{}' } as const
const busy = { kind: 'broken', httpStatus: 500, certain: false, text: 'busy' } as const
const refused = { kind: 'refused', httpStatus: 401, certain: true, text: 'no' } as const
const gone = { kind: 'unavailable', httpStatus: null, certain: true, text: 'gone' } as const
const until = new Date('2026-11-21T09:00:00Z')

const again: Sent = { kind: 'again', outcome: refused, refreshed: true }
const held = { kind: 'held', until, why: 'held', host: 'shop.example' } as const

/** Performs a call whose attempts end so, and says what its ledger was told. */
async function told(attempts: Sent[], more: Partial<Call> & { failing?: boolean } = {}): Promise<string[]> {
  const notes: string[] = []
  const { failing, ...facts } = more
  const call: Call = { effect: 'idempotent', status: 'planned', attempts: 0, refusedAttempts: 0, ...facts }
  const note = async (what: string) => void notes.push(what)
  const ledger: CallLedger<Call> = {
    maxRefused: 1,
    look: async () => ({ call, sending: {} as Sending }),
    async begin() {
      await note('begin')
      return Object.assign(call, { status: 'started', attempts: call.attempts + 1 })
    },
    async refuse(_call, { httpStatus }) {
      await note(`refuse ${httpStatus}`)
      return Object.assign(call, { refusedAttempts: call.refusedAttempts + 1 })
    },
    refreshed: () => note('refreshed'),
    finish: (_call, { text }) => note(`finish ${text}`),
    unsent: (_call, { kind }) => note(`unsent ${kind}`),
    ...(failing && { fail: (_call: Call, { text }: CallOutcome) => note(`fail ${text}`) }),
  }
  const left = [...attempts]
  /** As a sender does it. */
  async function send(_sending: Sending, { begin, onRefused }: Ledger): Promise<Sent> {
    const sent = left.shift()
    if (!sent) throw new Error('the call was sent too often')
    if (sent.kind === 'parked' || sent.kind === 'unsent' || (sent.kind === 'held' && !sent.outcome)) return sent
    await begin()
    if (sent.kind === 'again' || sent.kind === 'held') await onRefused(sent.outcome as CallOutcome, 1)
    return sent
  }
  const sender = { send, ask: never, abandon: never }
  await createPerformCall({ sender })(ledger).catch(({ code }: { code: string }) => note(`throws ${code}`))
  return notes
}

const never = async () => {
  throw new Error('the site works on nothing')
}
const answered = (outcome: CallOutcome): Sent => ({ kind: 'answered', outcome })
const oneTry = ['begin', 'refuse 401', 'refreshed']

const rows: [title: string, attempts: Sent[], told: string[], more?: Parameters<typeof told>[1]][] = [
  ['an answer is recorded', [answered(ok)], ['begin', 'finish {}']],
  ['a failure is recorded if nobody comes again', [answered(busy)], ['begin', 'finish busy']],
  [
    'a failure is noted if somebody does',
    [answered(busy)],
    ['begin', 'fail busy', 'throws TOOL_EXECUTION_ERROR'],
    { failing: true },
  ],
  ['unless it must not be repeated', [answered(busy)], ['begin', 'finish busy'], { failing: true, effect: 'once' }],
  ['nor after the third attempt', [answered(busy)], ['begin', 'finish busy'], { failing: true, attempts: 2 }],
  ['a refused credential is replaced once', [again, answered(ok)], [...oneTry, 'begin', 'finish {}']],
  ['the second refusal is the answer', [again, again], [...oneTry, 'begin', 'refuse 401', 'finish no']],
  ['also if it is a pause', [again, { ...held, outcome: busy }], [...oneTry, 'begin', 'refuse 500', 'finish busy']],
  ['what is held waits or ends', [held], ['unsent held']],
  ['and so does a first pause', [{ ...held, outcome: refused }], ['begin', 'refuse 401', 'unsent held']],
  ['without a credential nothing is sent', [{ kind: 'parked', message: 'Reconnect it.' }], ['unsent parked']],
  ['nor to a site that is gone', [{ kind: 'unsent', outcome: gone }], ['unsent unsent']],
  ['what must not be begun is left', [{ kind: 'dropped' }], ['begin']],
]

for (const [title, attempts, expected, more] of rows)
  test(`a call is performed: ${title}`, async (t) => t.deepEqual(await told(attempts, more), expected))
