// @promise doctor
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { runDoctor } from '../helpers/doctor.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { startPlatform, testEnvironment } from '../helpers/platform.ts'

/** A TLS proxy, as an operator puts one in front of the API. It can drop a header of responses. */
async function startProxy(t: ExecutionContext, drops?: string) {
  const { certFile, keyFile, caFile } = await temporaryCertificates()
  let behind = ''
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (asked, response) => {
    const { method = 'GET', headers, url = '/' } = asked
    const passed = request(`${behind}${url}`, { method, headers }, (answer) => {
      if (drops !== undefined) delete answer.headers[drops]
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  return { url, caFile, leadTo: (address: string) => void (behind = address) }
}

async function examineBehindProxy(t: ExecutionContext, { drops, own = {} }: { drops?: string; own?: object } = {}) {
  const proxy = await startProxy(t, drops)
  const env = await testEnvironment(t, { env: { BASE_URL: proxy.url, TRUSTED_PROXIES: '1' } })
  const platform = await startPlatform(t, { env })
  proxy.leadTo(platform.url)
  const { lines } = await runDoctor({ ...env, NODE_EXTRA_CA_CERTS: proxy.caFile, ...own }, '--all')
  const lineOf = (name: string) => lines.find((line) => line.split(' ').slice(1).join(' ').startsWith(`${name}:`))
  return { lineOf, lines }
}

test('behind a TLS proxy: certificate, address, cookies and proxies are as a browser needs them', async (t) => {
  const { lineOf, lines } = await examineBehindProxy(t)
  for (const name of ['certificate', 'public address', 'https', 'cookies', 'proxies'])
    t.regex(lineOf(name) ?? lines.join('\n'), /^ok /)
  t.regex(lineOf('cookies') ?? '', /Cookies are secure/)
  // The tests' Postgres is fast and unsafe, and no worker runs.
  t.regex(lineOf('postgres settings') ?? '', /^failing .* because fsync is off\. Fix: Run: alter system set fsync = on/)
  t.regex(lineOf('workers') ?? '', /^failing .*No worker polls the task queue .* Fix: Start a worker/)
})

test('a proxy that drops a header, other keys, and untrusted proxies are named', async (t) => {
  const header = 'strict-transport-security'
  const { lineOf } = await examineBehindProxy(t, { drops: header, own: { TRUSTED_PROXIES: '0' } })
  t.regex(lineOf('cookies') ?? '', /^warning .*removes the Strict-Transport-Security header\. Fix: /)
  t.regex(lineOf('proxies') ?? '', /^warning .*TRUSTED_PROXIES is 0\. .* Fix: Set TRUSTED_PROXIES/)
})
