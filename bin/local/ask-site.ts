import { readFileSync } from 'node:fs'
import { request } from 'node:https'

/** The example sites of a running `npm start`, the issue tracker first. */
interface ExampleSites {
  sites: string[]
  /** The local authority that signed their certificates. */
  siteCaFile: string
}

interface SiteCall {
  method: string
  url: string
  body?: unknown
}

type Json = Record<string, unknown>

/** A site on this machine answers within milliseconds. */
const timeoutMs = 30_000

/** Calls an example site as a user's browser would. The local authority has signed the site's certificate. */
export function askSite(caFile: string, { method, url, body }: SiteCall): Promise<Json> {
  const signal = AbortSignal.timeout(timeoutMs)
  const options = { method, ca: readFileSync(caFile), headers: { 'content-type': 'application/json' }, signal }
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      response.setEncoding('utf8')
      let text = ''
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => resolve(JSON.parse(text) as Json))
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** A token that the user ada generates at the issue tracker. */
export async function tokenOfSite({ sites: [site = ''], siteCaFile }: ExampleSites): Promise<string> {
  const body = { user: 'ada', role: 'editor' }
  const { token } = await askSite(siteCaFile, { method: 'POST', url: `${site}/settings/tokens`, body })
  if (typeof token !== 'string') throw new Error(`${site} issued no token.`)
  return token
}
