import test from 'ava'
import type { Arrival, Blow, Evidence } from './evidence.ts'
import { good } from './good-evidence.ts'
import { judge } from './judge.ts'
import { missedBy, plantedFaults } from './planted.ts'

test('the judge of a storm finds nothing where nothing is wrong', (t) => {
  t.deepEqual(Object.values(judge(good)).flat(), [])
})

test('the judge of a storm finds every planted fault', (t) => {
  t.true(plantedFaults.length >= 25)
  t.deepEqual(missedBy(good), [])
})

test('a call may come after its end only if the road to its own site was held or slow until then', (t) => {
  const [one, two, three] = good.calls
  const [first, second, third] = good.arrivals as [Arrival, Arrival, Arrival]
  const late = { ...first, at: 9000 }
  const evidence = { ...good, calls: [{ ...one!, status: 'unknown' }, two!, three!], arrivals: [second, third, late] }
  const findings = (blow: Partial<Blow>) => {
    const hold = { kind: 'hold' as const, name: 'a road', site: 'desk', from: 1000, until: 9000 }
    const { reordered, 'not to be sent': notToBeSent } = judge({ ...evidence, blows: [{ ...hold, ...blow }] })
    return [reordered.length, notToBeSent.length]
  }
  t.deepEqual(findings({}), [0, 0])
  t.deepEqual(findings({ kind: 'delay' }), [0, 0])
  t.deepEqual(findings({ kind: 'cut' }), [1, 1])
  t.deepEqual(findings({ site: 'mcp' }), [1, 1])
  t.deepEqual(findings({ until: 5000 }), [1, 1])
  t.deepEqual(findings({ from: 9001, until: 9500 }), [1, 1])
})

test('a used token may be sent again only if its answer was cut off, by the logs of the site and the record', (t) => {
  const [granted] = good.tokenRequests
  const again = { ...granted!, at: 20_000, status: 400, error: 'invalid_grant', consumedBefore: true }
  const refresh = { entryId: 'entry', generation: 1, startedAt: 19_000, endedAt: 21_000, outcome: 'refused' }
  const findings = (outcome: string, blows: Blow[], status: number | null = 200) => {
    const refreshes = [{ ...good.refreshes[0]!, outcome }, refresh]
    const tokenRequests = [{ ...granted!, status }, again]
    const lostGrants = [{ entryId: 'entry', generation: 1 }]
    return judge({ ...good, refreshes, tokenRequests, lostGrants, blows })['grants lost'].length
  }
  const kill: Blow = { kind: 'kill', name: 'worker-1', site: null, from: 3300, until: 3400 }
  t.is(findings('ambiguous', [], null), 0, 'the site saw its connection break')
  t.is(findings('abandoned', [kill]), 0, 'its process was killed')
  t.is(findings('abandoned', []), 1, 'nothing has happened')
  t.is(findings('abandoned', [{ ...kill, name: 'caddy' }]), 1, 'something else was killed')
  t.is(findings('failed', [kill]), 1, 'the record says that the token was not used up')
  t.is(findings('refreshed', [kill]), 1, 'the record has its answer')
})

test('a connection whose token the site did not use up must not end', (t) => {
  t.is(judge({ ...good, lostGrants: [{ entryId: 'entry', generation: 1 }] })['grants lost'].length, 1)
})

test('a fire may be left out only while the run before it goes on', (t) => {
  const fire = {
    agentId: 'a scheduled agent',
    runId: 'run 5',
    nominalAt: 60_000,
    outcome: 'skipped',
    reason: 'OVERLAP',
  }
  const skipped = { ...good.runs[2]!, id: 'run 5', sequence: 2, status: 'skipped', reason: 'OVERLAP', startedAt: null }
  const findings = (endedAt: number) => {
    const [one, two, before, capped] = good.runs
    const runs = [one!, two!, { ...before!, startedAt: 50_000, endedAt }, { ...skipped, endedAt: 60_500 }, capped!]
    return judge({ ...good, runs, fires: [fire] } satisfies Evidence).lost.length
  }
  t.is(findings(61_000), 0)
  t.is(findings(59_000), 1)
})

test('an answer may end with the connection of its reader, and for no other reason', (t) => {
  const failed = (errorCode: string, onDisconnect: string) => {
    const broken = { ...good.answers[0]!, id: 'broken', status: 'failed', errorCode, onDisconnect }
    return judge({ ...good, answers: [broken, ...good.answers] }).failed.length
  }
  t.is(failed('STREAM_ABORTED', 'cancel'), 0)
  t.is(failed('STREAM_ABORTED', 'continue'), 1)
  t.is(failed('INTERNAL_ERROR', 'cancel'), 1)
})

test('a secret is found, and not repeated', (t) => {
  const [found = ''] = judge({ ...good, logs: [{ name: 'caddy', text: 'x a long password y' }] })['secrets in logs']
  t.true(found.includes('caddy') && !found.includes('a long password'))
})
