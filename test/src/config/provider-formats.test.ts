import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import * as v from 'valibot'
import { baseUrl, headers, key } from '../../../src/config/provider-formats.ts'
import { createProviderFetch } from '../../../src/models/providers/provider-fetch.ts'

/** A request as adapters make it; whether the server got these headers. */
async function sender(t: ExecutionContext) {
  const server = createServer((request, response) => void response.end(JSON.stringify(request.headers)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const network = createProviderFetch()
  t.teardown(async () => {
    await network.close()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return async (given: Record<string, string>): Promise<boolean> => {
    try {
      const answer = await network.fetchAs({ kind: 'openai', stream: false })(address, {
        method: 'POST',
        body: '{}',
        headers: given,
      })
      const got = (await answer.json()) as Record<string, string>
      return Object.entries(given).every(([name, value]) => got[name.toLowerCase()] === value)
    } catch {
      return false
    }
  }
}

test('headers are accepted if they reach a provider, and refused if they do not', async (t) => {
  const arrives = await sender(t)
  const letters = [0, 1, 9, 10, 13, 31, 32, 0x7e, 0x7f, 0x80, 0xe9, 0xff, 0x100, 0x2026].map((code) =>
    String.fromCharCode(code),
  )
  const odd = [...letters.map((letter) => `x${letter}y`), '', 'x-ü', 'x:y', 'x"y', 'x(y', 'x/y', '!#$%&*+.^_`|~-']
  const connection = ['connection', 'content-length', 'expect', 'Host', 'keep-alive', 'transfer-encoding', 'upgrade']
  const names = [...odd, ...connection, 'TE', 'Via', 'Cookie', 'Origin', 'X-Team', 'authorization']
  for (const given of [...names.map((name) => ({ [name]: 'ab' })), ...letters.map((one) => ({ x: `a${one}b` }))])
    t.is(v.is(headers, given), await arrives(given), JSON.stringify(given))
  for (const letter of letters)
    t.is(v.is(key, `a${letter}b`), await arrives({ 'x-key': `a${letter}b` }), JSON.stringify(letter))
})

test('the line break at the end of a key or a header is no part of it', (t) => {
  t.is(v.parse(key, ' sk-123\r\n'), 'sk-123')
  t.deepEqual(v.parse(headers, { authorization: 'Bearer sk-123\n' }), { authorization: 'Bearer sk-123' })
  t.false(v.is(key, ' \n'))
})

test('what is wrong with headers is told, without the headers', (t) => {
  const told = (given: unknown): string[] => {
    const { issues = [] } = v.safeParse(headers, given, { abortPipeEarly: true })
    return issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`)
  }
  t.deepEqual(told({ a: 'canary\ncanary' }), [
    'null has a value with a line break or another character that a header cannot contain',
  ])
  t.deepEqual(told({ 'the canary': 'a' }), ['null has an invalid header name. Use a name such as X-Team'])
  t.regex(told({ HOST: 'canary' }).join(), /^null must not set a connection header: Connection, .*, Upgrade$/)
})

test('a base URL is an address to which a path can be appended', (t) => {
  const told = (address: string) => v.safeParse(baseUrl, address).issues?.[0].message
  for (const address of ['https://[::1]/v1', 'HTTPS://models.example/a%20b', 'http://host/@/v1'])
    t.is(told(address), undefined, address)
  t.is(v.parse(baseUrl, ' https://models.example/v1//\n'), 'https://models.example/v1')
  for (const address of ['https://h/v1?api-key=1', 'https://h/v1?', 'https://h/#'])
    t.is(told(address), 'must not have a query or a fragment, because paths are appended to it', address)
  for (const address of ['h/v1', 'https://h:99999', 'https://h/a b', ''])
    t.is(told(address), 'must be a complete URL', address)
  for (const address of ['ftp://h/', 'h:80/v1']) t.is(told(address), 'must start with https:// or http://', address)
})
