import test from 'ava'
import { readArguments } from '../../../bin/cluster/arguments.ts'

test('what follows the word conformance belongs to the conformance check', (t) => {
  const words = ['--apis', '1', 'conformance', '--only', 'codes']
  const { numbers, fresh, conformance } = readArguments(words)
  t.deepEqual(numbers, { apis: 1, workers: 3, port: 8443 })
  t.deepEqual([fresh, conformance], [false, ['--only', 'codes']])
  t.is(readArguments(['--fresh']).conformance, undefined)
})

test('unknown words and impossible numbers are refused', (t) => {
  t.throws(() => readArguments(['storm']), { message: /Unexpected argument 'storm'/ })
  t.throws(() => readArguments(['--workers', '0']), { message: '--workers needs a number from 1 to 20, not 0.' })
  t.throws(() => readArguments(['--port', 'high']), { message: '--port needs a number from 1 to 65535, not high.' })
})
