import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline/promises'

const page =
  '<!doctype html><meta charset="utf-8"><title>Switchyard check</title><p>Thank you. The check goes on in the terminal; you may close this page.'

/**
 * Waits on a redirect address of this machine until a browser comes to it, and answers with the whole address. `invite`
 * is called once somebody may come. Fails if the port is taken, or when nobody came in time.
 */
export async function listenForCallback(redirectUri: string, seconds: number, invite: () => void): Promise<string> {
  const address = new URL(redirectUri)
  const server = createServer()
  server.listen(Number(address.port || 80), address.hostname.replace(/^\[|\]$/g, ''))
  await once(server, 'listening')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const late = setTimeout(() => reject(new Error(`Nobody signed in within ${seconds} seconds.`)), seconds * 1000)
  server.on('request', (request, response) => {
    const came = new URL(request.url ?? '/', address.origin)
    const isCallback = came.pathname === address.pathname
    response.writeHead(isCallback ? 200 : 404, { 'Content-Type': 'text/html', Connection: 'close' })
    response.end(isCallback ? page : 'There is nothing here.')
    if (isCallback) resolve(came.href)
  })
  try {
    invite()
    return await promise
  } finally {
    clearTimeout(late)
    server.close()
    server.closeAllConnections()
  }
}

/** Asks in the terminal for the address that the browser ended at. Fails if there is nobody to ask. */
export async function askForAddress(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = once(terminal, 'close').then(() => {
    throw new Error('The address that the browser ended at was not given.')
  })
  try {
    return (await Promise.race([terminal.question('The address that the browser ended at: '), closed])).trim()
  } finally {
    closed.catch(() => undefined)
    terminal.close()
  }
}

export const isOnThisMachine = (redirectUri: string): boolean => {
  const url = URL.parse(redirectUri)
  return url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
}
