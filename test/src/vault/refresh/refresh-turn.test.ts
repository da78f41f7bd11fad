import test from 'ava'
import * as fc from 'fast-check'
import { decideTurn, type Turn, type TurnFacts } from '../../../../src/vault/refresh/refresh-turn.ts'
import type { VaultEntry } from '../../../../src/vault/vault-entry.ts'
import type { RefreshCause, RefreshOutcome, VaultRefresh } from '../../../../src/vault/refresh/vault-refresh.ts'

const began = Date.parse('2026-11-21T09:00:00Z')
const at = (seconds: number): Date => new Date(began + seconds * 1000)

const entryOf = (fields: Partial<VaultEntry> = {}): VaultEntry =>
  ({ id: 'e', generation: 3, status: 'connected', statusReason: null, expiresAt: at(-1), ...fields }) as VaultEntry

const living = entryOf({ expiresAt: at(60) })

function attemptOf(fields: Partial<VaultRefresh> = {}): VaultRefresh {
  const times = { startedAt: at(-30), leaseUntil: at(5), contestedAt: null, endedAt: null }
  return { id: 'a', entryId: 'e', generation: 3, cause: 'expiry', ...times, outcome: null, ...fields } as VaultRefresh
}

/** Attempts that ended so many seconds ago, one each second before that. */
const ended = (outcome: RefreshOutcome, count = 1, secondsAgo = 3600): VaultRefresh[] =>
  Array.from({ length: count }, (_, index) => {
    const error = `${outcome} ${index + 1}`
    const endedAt = at(index + 1 - count - secondsAgo)
    return attemptOf({ id: error, outcome, error, endedAt })
  })

const underWay = attemptOf()
const late = attemptOf({ leaseUntil: at(0) })
const contestedJustNow = attemptOf({ leaseUntil: at(-9), contestedAt: at(-1.999) })
const over = attemptOf({ leaseUntil: at(-9), contestedAt: at(-2) })
const ofOlder = attemptOf({ id: 'old', generation: 2 })

type Case = Partial<Omit<TurnFacts, 'past'>> & { past?: VaultRefresh[] }

const judge = (facts: Case): Turn =>
  decideTurn({ entry: entryOf(), past: [], seen: 3, cause: 'expiry', now: at(0), refreshable: true, ...facts })

/** A turn in short: its kind, and whose attempt is contested or abandoned. */
const short = ({ kind, contest, abandon }: Turn): string =>
  [kind, contest && `contests ${contest.id}`, abandon && `abandons ${abandon.id}`].filter(Boolean).join(', ')

const rows: [title: string, facts: Case, turn: string][] = [
  ['an expired access token is refreshed', {}, 'mine'],
  ['an access token that still lives is refreshed early', { entry: living }, 'mine'],
  ['one that the site refused is refreshed although it should live', { entry: living, cause: 'unauthorized' }, 'mine'],
  ['whoever has seen an older generation takes what is there', { seen: 2 }, 'renewed'],
  ['even if that is dead', { seen: 2, entry: entryOf({ status: 'needs_reauth' }) }, 'renewed'],
  ['a dead credential stays dead', { entry: entryOf({ status: 'needs_reauth' }) }, 'dead'],
  [
    'even while its access token should live',
    { entry: entryOf({ expiresAt: at(60), status: 'needs_reauth' }) },
    'dead',
  ],

  ['while somebody refreshes, whoever has no access token waits', { past: [underWay] }, 'busy'],
  ['while somebody refreshes, a living access token is used', { past: [underWay], entry: living }, 'kept'],
  [
    'while somebody refreshes, whoever was refused waits',
    { past: [underWay], entry: living, cause: 'unauthorized' },
    'busy',
  ],
  ['a lease that is over is contested, not taken', { past: [late] }, 'busy, contests a'],
  ['a living access token is no reason to contest it', { past: [late], entry: living }, 'kept'],
  ['its holder gets two seconds from then on', { past: [contestedJustNow] }, 'busy'],
  ['after that the attempt is given up, and another one made', { past: [over] }, 'mine, abandons a'],
  [
    'a holder that was contested and is back is waited for',
    { past: [attemptOf({ leaseUntil: at(1), contestedAt: at(-60) })] },
    'busy',
  ],
  [
    'from the end of its lease on',
    { past: [attemptOf({ leaseUntil: at(0), contestedAt: at(-60) })] },
    'mine, abandons a',
  ],
  ['an access token lives until it expires', { past: [underWay], entry: entryOf({ expiresAt: at(0) }) }, 'busy'],
  ['with a living access token it is given up, and no other made', { past: [over], entry: living }, 'kept, abandons a'],
  [
    'the tenth attempt that is given up, after an hour, is the last',
    { past: [...ended('ambiguous', 9), over] },
    'dead, abandons a',
  ],
  ['an attempt with tokens that were replaced meanwhile is in nobody’s way', { past: [ofOlder] }, 'mine, abandons old'],

  ['without a refresh token an expired access token is the end', { refreshable: false }, 'dead'],
  ['without a refresh token a living one is used', { refreshable: false, entry: living }, 'kept'],
  [
    'without a refresh token one that was refused is the end',
    { refreshable: false, entry: living, cause: 'unauthorized' },
    'dead',
  ],

  ['after one doubt the refresh token is tried again', { past: ended('ambiguous') }, 'mine'],
  ['an abandoned attempt is a doubt, too', { past: ended('abandoned') }, 'mine'],
  ['after one doubt a living access token is used up first', { past: ended('ambiguous'), entry: living }, 'kept'],
  ['but not one that the site refused', { past: ended('ambiguous'), entry: living, cause: 'unauthorized' }, 'mine'],
  ['after nine doubts, too', { past: ended('ambiguous', 9) }, 'mine'],
  ['after ten doubts, too, before an hour is over', { past: ended('ambiguous', 10, 3591) }, 'mine'],
  ['after ten doubts it is over', { past: ended('ambiguous', 10) }, 'dead'],
  ['however they came about', { past: [...ended('ambiguous', 5), ...ended('abandoned', 5)] }, 'dead'],
  ['but not while the access token lives', { past: ended('ambiguous', 10), entry: living }, 'kept'],

  [
    'after a failure that spent nothing there is a pause of a second',
    { past: ended('failed', 1, 0.999) },
    'unavailable',
  ],
  ['and then another attempt', { past: ended('failed', 1, 1) }, 'mine'],
  ['a site that was not reached is spared as well', { past: ended('not_sent', 1, 0.999) }, 'unavailable'],
  ['meanwhile a living access token is used', { past: ended('failed', 1, 0.5), entry: living }, 'kept'],
  ['the pause doubles each time', { past: ended('failed', 4, 7.999) }, 'unavailable'],
  ['and is eight seconds after four failures', { past: ended('failed', 4, 8) }, 'mine'],
  ['it is never longer than five minutes', { past: ended('not_sent', 40, 300) }, 'mine'],
  ['and it is that long', { past: ended('not_sent', 40, 299.999) }, 'unavailable'],
  ['a site that refuses is asked five times', { past: ended('refused', 4) }, 'mine'],
  ['and then no more', { past: ended('refused', 5) }, 'dead'],
  ['except while the access token lives', { past: ended('refused', 5), entry: living }, 'mine'],
  ['the first doubt makes no pause', { past: ended('ambiguous', 1, 0) }, 'mine'],
  ['the second one makes a pause of a second', { past: ended('ambiguous', 2, 0.999) }, 'unavailable'],
  ['and no longer one', { past: ended('ambiguous', 2, 1) }, 'mine'],
  ['the pause after a doubt doubles, too', { past: ended('abandoned', 9, 127.999) }, 'unavailable'],
  ['and is 128 seconds after nine doubts', { past: ended('abandoned', 9, 128) }, 'mine'],
]

for (const [title, facts, turn] of rows) test(`refreshing: ${title}`, (t) => t.is(short(judge(facts)), turn))

test('what is dead or unavailable says why, in the words of the last failure where there are any', (t) => {
  const reason = (facts: Case) => (judge(facts) as { reason?: string }).reason
  t.is(reason({ entry: entryOf({ status: 'needs_reauth', statusReason: 'Gone.' }) }), 'Gone.')
  t.regex(reason({ refreshable: false }) ?? '', /did not issue a refresh token/)
  t.is(reason({ past: ended('ambiguous', 10) }), 'ambiguous 10 The results of the last 10 token refreshes are unknown.')
  t.is(reason({ past: ended('refused', 5) }), 'refused 5')
  t.like(judge({ past: ended('failed', 2, 0) }), { kind: 'unavailable', message: 'failed 2' })
  const wordless = ended('failed', 1, 0).map((attempt) => Object.assign(attempt, { error: null }))
  t.regex((judge({ past: wordless }) as { message: string }).message, /could not refresh/)
})

test('whoever has to wait is told until when, if the site has named a time that is still to come', (t) => {
  const retryAt = (...wanted: (Date | null)[]) => {
    const past = ended('failed', wanted.length, 0).map((attempt, index) =>
      Object.assign(attempt, { retryAt: wanted[index] ?? null }),
    )
    return (judge({ past }) as { retryAt?: Date | null }).retryAt
  }
  t.deepEqual(retryAt(at(60)), at(60))
  t.deepEqual(retryAt(at(90), at(60)), at(60), 'the last time counts')
  t.is(retryAt(at(60), null), null)
  t.is(retryAt(at(0)), null)
  t.is(retryAt(at(-1)), null)
})

/** What becomes of an attempt; of a `lost` one nothing is heard, unless its process returns or shows that it lives. */
type Fate = Exclude<RefreshOutcome, 'abandoned'> | 'lost'
type Happening =
  | { kind: 'time'; seconds: number }
  | { kind: 'want'; cause: RefreshCause; stale: boolean; fate: Fate; seconds: number }
  | { kind: 'return' | 'beat' }

const fates = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<Fate>('refreshed', 'refused', 'not_sent', 'failed') },
  { weight: 20, arbitrary: fc.constantFrom<Fate>('ambiguous', 'lost') },
)
const times = fc.record({ kind: fc.constant('time' as const), seconds: fc.constantFrom(0.1, 1, 2, 10, 60, 400, 400) })
const wants = fc.record({
  kind: fc.constant('want' as const),
  cause: fc.constantFrom<RefreshCause>('expiry', 'unauthorized', 'keep_alive'),
  stale: fc.constantFrom(false, false, false, false, true),
  fate: fates,
  seconds: fc.constantFrom(0, 1, 9),
})
const returns = fc.record({ kind: fc.constantFrom('return' as const, 'beat' as const) })
const happenings = fc.array(
  fc.oneof({ weight: 5, arbitrary: times }, { weight: 8, arbitrary: wants }, { weight: 1, arbitrary: returns }),
  { minLength: 10, maxLength: 150, size: 'max' },
)

/** An entry and its record, on which the rule is carried out as the vault does it. */
function playOut(story: Happening[]) {
  let now = 0
  const entry = entryOf({ generation: 1, expiresAt: at(100) })
  const record: VaultRefresh[] = []
  const judged: {
    turn: Turn
    lives: boolean
    sentBefore: VaultRefresh | undefined
    doubts: number
    /** Since the second doubt, in seconds. */
    doubtedFor: number
  }[] = []

  function finish(attempt: VaultRefresh, outcome: RefreshOutcome): void {
    Object.assign(attempt, { endedAt: at(now), outcome, error: outcome })
    if (outcome !== 'refreshed' || attempt.generation !== entry.generation) return
    Object.assign(entry, { generation: entry.generation + 1, expiresAt: at(now + 100) })
  }

  function want({ cause, stale, fate, seconds }: Extract<Happening, { kind: 'want' }>): void {
    const seen = stale ? entry.generation - 1 : entry.generation
    const past = record.filter(({ generation, endedAt }) => generation === entry.generation || endedAt === null)
    const turn = decideTurn({ entry, past, seen, cause, now: at(now), refreshable: true })
    const lives = cause !== 'unauthorized' && entry.expiresAt !== null && entry.expiresAt > at(now)
    const sentBefore = record.find(({ endedAt }) => endedAt === null)
    if (turn.contest) turn.contest.contestedAt = at(now)
    if (turn.abandon) finish(turn.abandon, 'abandoned')
    const doubts = record.filter((one) => one.generation === entry.generation && isDoubt(one))
    const doubtedFor = (at(now).getTime() - (doubts[1]?.endedAt ?? at(now)).getTime()) / 1000
    const isConnected = entry.status === 'connected'
    judged.push({ turn, lives: lives && isConnected, sentBefore, doubts: doubts.length, doubtedFor })
    if (turn.kind === 'dead') Object.assign(entry, { status: 'needs_reauth', statusReason: turn.reason })
    if (turn.kind !== 'mine') return
    const times = { startedAt: at(now), leaseUntil: at(now + 10) }
    const attempt = attemptOf({ id: String(record.length), generation: entry.generation, ...times })
    record.push(attempt)
    if (fate === 'lost') return
    now += seconds
    finish(attempt, fate)
  }

  function comeBack(open: VaultRefresh, kind: 'return' | 'beat'): void {
    if (kind === 'return') finish(open, 'refreshed')
    else Object.assign(open, { leaseUntil: at(now + 10), contestedAt: null })
  }

  for (const happening of story) {
    if (happening.kind === 'time') now += happening.seconds
    else if (happening.kind === 'want') want(happening)
    else for (const open of record.filter(({ endedAt }) => endedAt === null)) comeBack(open, happening.kind)
  }
  return { judged, record }
}

const isDoubt = ({ outcome, endedAt }: VaultRefresh): boolean =>
  endedAt === null || outcome === 'ambiguous' || outcome === 'abandoned'

/** Has a property hold for any story. */
const always = (check: (played: ReturnType<typeof playOut>) => boolean) =>
  fc.assert(
    fc.property(happenings, (story) => check(playOut(story))),
    { numRuns: 300 },
  )

// @promise refresh
test('whatever happens, a refresh token of unknown fate is given up after an hour and ten attempts, and never sent by two at once', (t) => {
  let givenUp = 0
  always(({ judged }) =>
    judged.every(({ turn, sentBefore, doubts, doubtedFor }) => {
      const isHopeless = doubts >= 10 && doubtedFor >= 3600
      if (turn.kind === 'dead' && /results of the last/.test(turn.reason)) {
        givenUp += 1
        return isHopeless
      }
      return turn.kind !== 'mine' || (!isHopeless && (!sentBefore || turn.abandon === sentBefore))
    }),
  )
  t.true(givenUp > 0)
})

test('whatever happens, a living access token is never given up, nor waited for', (t) => {
  const seen = new Set<string>()
  always(({ judged }) =>
    judged.every(({ turn, lives }) => {
      seen.add(`${turn.kind} ${lives}`)
      return !lives || ['mine', 'kept', 'renewed'].includes(turn.kind)
    }),
  )
  t.true(seen.has('kept true') && seen.has('dead false') && seen.has('busy false'))
})

test('nobody is given up before two seconds have passed in which it could have come back', (t) => {
  let abandoned = 0
  always(({ record }) =>
    record.every(({ outcome, leaseUntil, contestedAt, endedAt }) => {
      if (outcome !== 'abandoned') return true
      abandoned += 1
      const since = Math.max(leaseUntil.getTime(), contestedAt?.getTime() ?? Infinity)
      return (endedAt?.getTime() ?? 0) - since >= 2000 - 1
    }),
  )
  t.true(abandoned > 0)
})
