import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'

/**
 * Whether the manifest is to be had without TLS. It is the one request of the checker that is not the platform's own
 * way of asking, which knows no plain HTTP at all. No credential goes along.
 */
export async function askPlainHttp(host: string, port: number): Promise<string[]> {
  const outgoing = request({
    host: host.replace(/^\[|\]$/g, ''),
    port,
    path: '/.well-known/toolsite.json',
    agent: false,
  })
  outgoing.setTimeout(5000, () => outgoing.destroy(new Error('late')))
  outgoing.end()
  try {
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    const { statusCode: status = 0 } = answer
    return status >= 200 && status < 300 ? [`Port ${port} answered over plain HTTP with the status ${status}.`] : []
  } catch {
    // Nobody listens there, or nobody who speaks HTTP: as it should be.
    return []
  } finally {
    outgoing.destroy()
  }
}
