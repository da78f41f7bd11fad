import test from 'ava'
import { statuses } from '../../conformance/codes.ts'
import { exitCodeOf } from '../../conformance/report.ts'
import type { Judged, Verdict } from '../../conformance/row.ts'
import { rows } from '../../conformance/rows.ts'
import { catalogue } from '../../src/errors.ts'
import { plant } from '../faults/plant.ts'
import { isFound } from './broken-copy.ts'
import { brokenPlatforms } from './faults.ts'

const ids = new Set(rows.map(({ id }) => id))

test('the conformance check provokes each code of the specification, with its status', (t) => {
  const { INTERNAL_ERROR: _internal, METHOD_NOT_ALLOWED: _method, REQUEST_TIMEOUT: _slow, ...specified } = catalogue
  const expected = Object.fromEntries(Object.entries(specified).map(([code, { status }]) => [code, status]))
  t.deepEqual({ ...statuses } as Record<string, number>, expected)
  t.is(Object.keys(expected).length, 41)
  for (const code of Object.keys(statuses)) t.true(ids.has(`codes/${code}`), code)
  t.is(ids.size, rows.length, 'no id is there twice')
})

test('each broken platform can be made, and names rows that exist', async (t) => {
  for (const { id, rows: named, ...place } of brokenPlatforms) {
    await t.notThrowsAsync(plant(place), id)
    for (const row of named) t.true(ids.has(row), `${id}: ${row}`)
  }
})

test('a fault is found only if its row fails, and for its reason', (t) => {
  const wanted = { rows: ['codes/UNAUTHORIZED'], evidence: 'is missing' }
  for (const [isIt, verdict, evidence, exitCode] of [
    [true, 'failed', 'WWW-Authenticate is missing', 1],
    [false, 'failed', 'it was not answered', 1],
    [false, 'not tried', 'a card is missing', 1],
    [false, 'failed', 'WWW-Authenticate is missing', 2],
  ] as const)
    t.is(isFound(wanted, { exitCode, rows: [{ id: 'codes/UNAUTHORIZED', verdict, evidence }] }), isIt, evidence)
})

test('the exit code says whether a row failed, was not tried, or all passed', (t) => {
  const [row] = rows
  const of = (...verdicts: Verdict[]): Judged[] =>
    verdicts.map((verdict) => ({ row: row!, verdict, evidence: '', seconds: 0 }))
  t.is(exitCodeOf(of('passed', 'passed')), 0)
  t.is(exitCodeOf(of('passed', 'not tried', 'failed')), 1)
  t.is(exitCodeOf(of('passed', 'not tried')), 2)
  const excused = of('passed', 'not tried').map((one) => ({ ...one, isExcused: true as const }))
  t.is(exitCodeOf(excused), 0, 'what the installation does not offer is no flaw of the check')
})
