import { decodeUtf8, isObject } from '../../../../json.ts'
import { isCoded } from '../../../../errors.ts'
import { parseSiteUrl } from '../../../../safe-fetch/site-url.ts'
import { valueAt } from '../../../schema/json-pointer.ts'
import { parseDocument } from './parse-document.ts'

/** Documents that one document may refer to. */
export const maxDocuments = 20
/** References that refer to references. */
const longestChain = 20
const longestReference = 500

/** A value, and the address of the document that it is in; '' for one without an address. */
export interface Place {
  value: unknown
  document: string
}

/** An operation that cannot be used, with the reason as the end of a sentence about it. */
export class Unusable extends Error {
  override name = 'Unusable'
}

/**
 * The document and those that it refers to (OpenAPI 3.1, 4.6). It fetches nothing: addresses that are needed and not
 * given are in `missing`.
 */
export function createDocuments(root: unknown, address: string, referenced: Record<string, Uint8Array>) {
  const parsed = new Map<string, unknown>([[address, root]])
  const missing = new Set<string>()
  /** Found parts, by their addresses: many references lead to the same ones. */
  const found = new Map<string, unknown>()

  const isKnown = (document: string): boolean => parsed.has(document) || Object.hasOwn(referenced, document)

  function open(document: string): unknown {
    if (parsed.has(document)) return parsed.get(document)
    const bytes = Object.hasOwn(referenced, document) ? referenced[document] : undefined
    if (bytes === undefined) {
      // One more than allowed shows that there are too many.
      if (missing.size <= maxDocuments) missing.add(document)
      throw new Unusable('refers to another document that was not read')
    }
    const text = decodeUtf8(bytes)
    const result = text === undefined ? undefined : parseDocument(text)
    const value = result && 'value' in result ? result.value : undefined
    parsed.set(document, value)
    return value
  }

  /** What a reference in a document refers to, and its whole address. */
  function target(reference: unknown, from: string): Place & { address: string } {
    const { document, fragment } = split(reference, from)
    if (!/^(?:\/|$)/.test(fragment)) throw new Unusable('refers to a part by an anchor, and only paths are supported')
    const address = `${document}#${fragment}`
    const value = found.get(address) ?? valueAt(open(document), fragment)
    if (value === undefined) throw new Unusable('refers to something that is missing')
    found.set(address, value)
    return { value, document, address }
  }

  /** As `follow`, but undefined for every problem. */
  function seek(place: Place): Place | undefined {
    try {
      return follow(place)
    } catch (error) {
      if (error instanceof Unusable) return undefined
      throw error
    }
  }

  /** The value itself, or what its references end at. */
  function follow(place: Place): Place {
    let { value, document } = place
    for (let hops = 0; isObject(value) && Object.hasOwn(value, '$ref'); hops++) {
      if (hops === longestChain) throw new Unusable(`goes through more than ${longestChain} references`)
      ;({ value, document } = target(value['$ref'], document))
    }
    return { value, document }
  }

  /** As `follow`, but undefined if a document is missing, and for every other problem. */
  function peek(place: Place): Place | undefined {
    let { value, document } = place
    try {
      for (let hops = 0; isObject(value) && Object.hasOwn(value, '$ref'); hops++) {
        if (hops === longestChain || !isKnown(split(value['$ref'], document).document)) return undefined
        ;({ value, document } = target(value['$ref'], document))
      }
      return { value, document }
    } catch (error) {
      if (error instanceof Unusable) return undefined
      throw error
    }
  }

  return { target, follow, seek, peek, missing }
}

export type Documents = ReturnType<typeof createDocuments>

function split(reference: unknown, from: string): { document: string; fragment: string } {
  if (typeof reference !== 'string' || reference.length > longestReference)
    throw new Unusable('has a reference that is no address')
  const [path = '', fragment = ''] = reference.split('#', 2)
  return { document: path === '' ? from : absolute(path, from), fragment }
}

function absolute(path: string, from: string): string {
  const url = URL.parse(path, from === '' ? undefined : from)
  if (!url && from === '')
    throw new Unusable('refers to another document by a relative address, and that of this document is unknown')
  try {
    return parseSiteUrl(url?.href ?? path).href
  } catch (error) {
    if (!isCoded(error, 'INVALID_URL')) throw error
    throw new Unusable(`refers to another document by an address that cannot be used. ${error.message}`)
  }
}
