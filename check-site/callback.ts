import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline/promises'

const page =
  '<!doctype html><meta charset="utf-8"><title>Switchyard check</title><p>Thank you. The check continues in the terminal; you can close this page.'

/**
 * Listens on a local redirect address until a browser calls it, and returns the full URL. Calls `invite` when it is
 * ready. Throws if the port is taken or no browser calls in time.
 */
export async function listenForCallback(redirectUri: string, seconds: number, invite: () => void): Promise<string> {
  const address = new URL(redirectUri)
  const server = createServer()
  server.listen(Number(address.port || 80), address.hostname.replace(/^\[|\]$/g, ''))
  await once(server, 'listening')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const timer = setTimeout(() => reject(late(seconds)), seconds * 1000)
  server.on('request', (request, response) => {
    const requested = new URL(request.url ?? '/', address.origin)
    const isCallback = requested.pathname === address.pathname
    response.writeHead(isCallback ? 200 : 404, { 'Content-Type': 'text/html', Connection: 'close' })
    response.end(isCallback ? page : 'There is nothing here.')
    if (isCallback) resolve(requested.href)
  })
  try {
    invite()
    return await promise
  } finally {
    clearTimeout(timer)
    server.close()
    server.closeAllConnections()
  }
}

const late = (seconds: number): Error =>
  new Error(`The browser did not come back within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`)

/** Asks in the terminal for the browser's final address. Throws if there is no input in time. */
export async function askForAddress(seconds: number): Promise<string> {
  const { stdin: input, stderr: output } = process
  if (input.readableEnded) throw notEntered()
  const terminal = createInterface({ input, output })
  const { promise: never, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late(seconds)), seconds * 1000)
  terminal.once('close', () => reject(notEntered()))
  try {
    return (await Promise.race([terminal.question("The browser's final address: "), never])).trim()
  } finally {
    clearTimeout(timer)
    terminal.close()
  }
}

const notEntered = (): Error => new Error("The browser's final address was not entered.")

export const isOnThisMachine = (redirectUri: string): boolean => {
  const url = URL.parse(redirectUri)
  return url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
}
