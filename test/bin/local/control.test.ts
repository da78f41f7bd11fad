import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createControl } from '../../../bin/local/control.ts'
import { whenLines, type Program } from '../../../bin/local/program.ts'
import { eventually } from '../../helpers/eventually.ts'
import { ownServerOptions } from '../../helpers/servers.ts'

/** A shell that runs the script, ready when it has said so. */
function shell(t: ExecutionContext, script: string, more: Partial<Program> = {}) {
  const { folder, record, environment: env } = ownServerOptions()
  const lines: string[] = []
  const ends: string[] = []
  const ready = whenLines((line) => line === 'ready')
  const times = { stopSignal: 'SIGTERM', stopSeconds: 10, readySeconds: 10 } as const
  const program = { name: 'it', command: 'sh', args: ['-c', script], env, cwd: folder, ...times, ready, ...more }
  const onExit = (how: string) => void ends.push(how)
  const control = createControl(program, record, { onLine: (line) => lines.push(line), onExit })
  t.teardown(() => control.kill())
  return { control, lines, ends, folder, isOnRecord: (pid = 0) => existsSync(`${record.folder}/${pid}.json`) }
}

test('a process is on record for as long as it lives, and hears the signal that stops it', async (t) => {
  const script = 'trap "echo bye; exit 3" INT; echo ready >&2; while :; do sleep 0.02; done'
  const { control, lines, ends, isOnRecord } = shell(t, script, { stopSignal: 'SIGINT' })
  await control.start()
  const pid = control.pid()
  t.true(isOnRecord(pid))
  await control.stop()
  t.deepEqual([lines, ends, control.pid(), isOnRecord(pid)], [['ready', 'bye'], ['exit code 3'], undefined, false])
})

test('one that does not stop in time is killed, with what it has started', async (t) => {
  const script = 'trap "" TERM; (while :; do touch "$$.$(date +%s%N)"; sleep 0.02; done) & echo ready; wait'
  const { control, ends, folder } = shell(t, script, { stopSeconds: 0.1 })
  await control.start()
  await control.stop()
  const before = readdirSync(folder).length
  await wait(100)
  t.deepEqual([ends, readdirSync(folder).length], [['signal SIGKILL'], before])
})

test('its input stays open until it ends, and may be closed by it before', async (t) => {
  const patient = shell(t, 'echo ready; cat; exit 4')
  await patient.control.start()
  const { control, ends } = shell(t, 'exec <&-; echo ready; sleep 0.2; exit 5')
  await control.start()
  t.is(await eventually(10, 'it ends', () => ends[0]), 'exit code 5')
  t.deepEqual(patient.ends, [])
})

test('the end of a process is seen although somebody else holds its output', async (t) => {
  const { control, lines, ends } = shell(t, 'setsid sleep 60 & echo $!; echo ready; exit 6')
  await control.start()
  t.is(await eventually(10, 'it is seen', () => ends[0]), 'exit code 6')
  process.kill(Number(lines[0]), 'SIGKILL')
})

test('what does not get ready is said in a sentence, after its last words', async (t) => {
  const early = shell(t, 'printf "no\nway"; exit 7')
  await t.throwsAsync(early.control.start(), { message: 'it exited before it was ready (exit code 7)' })
  t.deepEqual(early.lines, ['no', 'way'])
  const late = shell(t, 'sleep 60', { readySeconds: 0.1 })
  await t.throwsAsync(late.control.start(), { message: 'it was not ready after 0.1 s' })
  t.deepEqual(late.ends, ['signal SIGKILL'])
  const none = shell(t, '', { command: '/nowhere/at-all' })
  await t.throwsAsync(none.control.start(), { message: /^it cannot be started: .*ENOENT/ })
})
