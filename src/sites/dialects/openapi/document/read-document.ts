import { decodeUtf8, isObject } from '../../../../json.ts'
import type { DocumentToRead, ReadDocument } from '../operation.ts'
import { createDocuments, maxDocuments, type Place } from './documents.ts'
import { foundIn } from './found.ts'
import { parseDocument } from './parse-document.ts'

/**
 * Reads an OpenAPI document of version 3.0 or 3.1: the operations that it offers, and the manifest with the chosen
 * ones. It fetches nothing. Runs in a thread, because strangers' input decides how long it takes.
 */
export function readDocument(given: DocumentToRead): ReadDocument {
  const text = decodeUtf8(given.bytes)
  if (text === undefined || isMarkup.test(text) || !mentionsVersion.test(text)) return { isNone: true }
  const parsed = parseDocument(text)
  if ('problem' in parsed) return problem('', parsed.problem)
  const { value } = parsed
  const version = isObject(value) ? versionOf(value) : undefined
  if (version === undefined) return { isNone: true }
  if (!/^3\.[01](?:\.|$)/.test(version))
    return problem(isSwagger(version) ? 'swagger' : 'openapi', wrongVersion(version))
  const documents = createDocuments(value, given.address ?? '', given.referenced)
  const root: Place = { value, document: given.address ?? '' }
  const found = foundIn(root, given, documents, version.startsWith('3.0'))
  if (documents.missing.size === 0) return found
  const { size } = documents.missing
  return size + Object.keys(given.referenced).length > maxDocuments
    ? problem('', `It refers to more than ${maxDocuments} other documents. Bundle them into one.`)
    : { missing: [...documents.missing] }
}

/** A page about a document is none, although it has its words. */
const isMarkup = /^\s*<[!?a-z]/i

/** Without one of these words, a text need not be parsed. */
const mentionsVersion = /\b(?:openapi|swagger)\b/

/** YAML reads an unquoted 3.0 as a number. */
function versionOf({ openapi, swagger }: Record<string, unknown>): string | undefined {
  const given = openapi ?? swagger
  if (typeof given === 'number') return given.toFixed(1)
  return typeof given === 'string' ? given.slice(0, 20) : undefined
}

const isSwagger = (version: string): boolean => version.startsWith('2')

const wrongVersion = (version: string): string =>
  isSwagger(version)
    ? 'must be a version of OpenAPI, 3.0 or 3.1. This document has Swagger 2.0: convert it, for example with npx swagger2openapi'
    : 'must be 3.0 or 3.1, followed by the number of the patch'

const problem = (path: string, message: string): ReadDocument => ({ problems: [{ path, message }] })
