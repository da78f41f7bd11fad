import { isCoded } from '../../../../errors.ts'
import { isObject } from '../../../../json.ts'
import { parseSiteUrl } from '../../../../safe-fetch/site-url.ts'
import type { ManifestServer } from '../../../manifest.ts'
import type { DocumentToRead } from '../operation.ts'

const maxServers = 20

type Named = Pick<DocumentToRead, 'server' | 'pinned'>

/**
 * The usable addresses in a list of servers (OpenAPI 3.1, 4.8.5), without a slash at the end: https only, variables
 * replaced by their defaults, relative ones resolved against the address of the document. Without a list, it is the
 * root of the document's host.
 */
export function serverAddresses(list: unknown, document: string): string[] {
  const given: unknown[] = Array.isArray(list) && list.length > 0 ? list.slice(0, maxServers) : [{ url: '/' }]
  const addresses = given.map((server) => addressOf(server, document))
  return [...new Set(addresses.filter((address) => address !== undefined))]
}

/**
 * Where calls go: the server that the owner names, whether or not the document lists it, or the first one listed. Where
 * calls went before, they go as long as the document lists it. Then they would go to the first one, which is a change
 * that the owner accepts. A server that only the owner names stays.
 */
export function serverOf({ server, pinned }: Named, listed: readonly string[]): ManifestServer | undefined {
  const [first] = listed
  if (pinned?.named || (pinned && listed.includes(pinned.url))) return pinned
  const named = pinned || server === undefined ? undefined : httpsAddress(server, '')?.replace(/\/+$/, '')
  const url = named ?? first
  if (url === undefined) return undefined
  return { url, ...(!listed.includes(url) && { named: true }) }
}

function addressOf(server: unknown, document: string): string | undefined {
  if (!isObject(server) || typeof server['url'] !== 'string' || server['url'].length > 2000) return undefined
  const text = withDefaults(server['url'], server['variables'])
  return text === undefined ? undefined : siteAddress(text, document)?.replace(/\/+$/, '')
}

/** An absolute https address without a query, resolved against another one; undefined if it is none. */
function siteAddress(text: string, base: string): string | undefined {
  const href = httpsAddress(text, base)
  return href === undefined || href.includes('?') ? undefined : href
}

/** An absolute https address, resolved against another one; undefined if it is none. */
export function httpsAddress(text: unknown, base: string): string | undefined {
  if (typeof text !== 'string') return undefined
  const url = URL.parse(text, base === '' ? undefined : base)
  if (!url) return undefined
  try {
    return parseSiteUrl(url.href).href
  } catch (error) {
    if (isCoded(error, 'INVALID_URL')) return undefined
    throw error
  }
}

/** The text with the default of each variable; undefined if one has none. */
function withDefaults(url: string, variables: unknown): string | undefined {
  let isComplete = true
  const text = url.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined
    const value = isObject(variable) ? variable['default'] : undefined
    if (isShort(value) || typeof value === 'number') return String(value)
    isComplete = false
    return ''
  })
  return isComplete ? text : undefined
}

const isShort = (value: unknown): boolean => typeof value === 'string' && value.length <= 300
