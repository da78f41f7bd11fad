import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'

const html = '<!doctype html><meta charset="utf-8"><title>App</title><script src="/script.js"></script>'

/** A server of a page that has at most a script: an origin of its own, because its port is. */
export async function startWebsite(t: ExecutionContext, script = ''): Promise<string> {
  const server = createServer((request, response) => {
    const [type, text] = request.url === '/script.js' ? ['text/javascript', script] : ['text/html', html]
    response.setHeader('content-type', type).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
