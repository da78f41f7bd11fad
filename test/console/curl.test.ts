import { execFileSync } from 'node:child_process'
import test from 'ava'
import { asCurl } from '../../console/api/curl.ts'

/** What a shell makes of the command, word by word, with `curl` replaced by a program that prints its arguments. */
const argumentsOf = (command: string): string[] =>
  execFileSync('/bin/sh', ['-c', `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`], {
    encoding: 'utf8',
    env: { TOKEN: 'a-token' },
  })
    .split('\0')
    .slice(0, -1)

test('a command sends the body as it is, whatever quotes and expansions it contains', (t) => {
  const body = { note: `it's "$HOME" \`id\` $(id) \\ \n 'x'` }
  const command = asCurl({ method: 'POST', path: '/approvals/1', body }, 'http://127.0.0.1:3000')
  const words = argumentsOf(command)
  t.deepEqual(words.slice(0, 3), ['-X', 'POST', 'http://127.0.0.1:3000/approvals/1'])
  t.true(words.includes('Authorization: Bearer a-token'))
  t.deepEqual(JSON.parse(words.at(-1) ?? ''), body)
})

test('a command that reads has no method and no body', (t) => {
  const words = argumentsOf(asCurl({ method: 'GET', path: '/runs?limit=1&status=failed' }, 'https://example.com'))
  t.deepEqual(words, ['https://example.com/runs?limit=1&status=failed', '-H', 'Authorization: Bearer a-token'])
})
