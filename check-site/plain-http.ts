import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'

/** Whether the manifest is served without TLS. The platform itself never uses plain HTTP. Sends no credential. */
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
    return status >= 200 && status < 300 ? [`Port ${port} answered over plain HTTP with status ${status}.`] : []
  } catch {
    // Nothing that speaks HTTP listens there, as required.
    return []
  } finally {
    outgoing.destroy()
  }
}
