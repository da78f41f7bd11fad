import { isObject } from '../../json.ts'
import { createHash } from 'node:crypto'

import { exactJson } from '../../outputs/exact-json.ts'

/** The names that Anthropic and Amazon Bedrock accept. The others accept more. */
const taken = /^[a-zA-Z0-9_.-]{1,64}$/

/** The length of the hash in a fitted name, which keeps names unique. */
const hashLength = 8
const kept = 64 - hashLength - 1
/** Later characters are ignored. The hash covers the whole name. */
const maxRead = 500

/** The models' names of properties, if they differ from the site's. */
export type PropertyNames = ReadonlyMap<string, string>

/** A property name that every provider accepts: the name itself if possible. */
export function fitName(name: string): string {
  if (taken.test(name)) return name
  const safe = name
    .slice(0, maxRead)
    .normalize('NFKD')
    .replaceAll(/[^a-zA-Z0-9_.-]+/g, '_')
    .slice(0, kept)
    .replaceAll(/^_+|_+$/g, '')
  return `${safe || 'property'}_${createHash('sha256').update(name).digest('hex').slice(0, hashLength)}`
}

/**
 * The JSON text of a call's arguments with the site's own names, at every level. A text that is not an object stays as it
 * is. Long numbers stay exact.
 */
export function siteNamesIn(text: string, names: PropertyNames): string {
  if (names.size === 0 || ![...names.keys()].some((name) => text.includes(name))) return text
  try {
    return exactJson(text, (value) => withSiteNames(value, names))
  } catch {
    return text
  }
}

function withSiteNames(value: unknown, names: PropertyNames): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [names.get(name) ?? name, member]))
}
