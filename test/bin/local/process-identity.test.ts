import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'ava'
import { isRunning, markOf, startInStat, type ProcessMark } from '../../../bin/local/process-identity.ts'

const statOf = (state: string, threads: number): string =>
  `4711 (a (name) of ours) ${state} 1 4711 4711 0 -1 4194560 ${'0 '.repeat(8)}20 0 ${threads} 0 987654 0 0`

test('a process runs until its last thread has ended, because it keeps its ports until then', (t) => {
  t.is(startInStat(statOf('S', 1)), '987654')
  t.is(startInStat(statOf('Z', 2)), '987654')
  t.is(startInStat(statOf('Z', 1)), undefined)
  t.is(startInStat(''), undefined)
})

test('a process is told from a later one with the same number, and runs until it has ended', async (t) => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const mark = markOf(child.pid ?? 0) as ProcessMark
  t.true(isRunning(mark))
  t.false(isRunning({ ...mark, started: 'earlier' }))
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.false(isRunning(mark))
})
