import { CodedError } from '../../../../errors.ts'
import { decodeUtf8, isObject, parseJson } from '../../../../json.ts'
import { quotedWords } from '../../../../names.ts'
import { SafeFetchError } from '../../../../safe-fetch/safe-fetch-error.ts'
import type { SafeFetch, SafeResponse } from '../../../../safe-fetch/safe-fetch.ts'
import { noAnswerInWords, refusedAddress } from '../../../../safe-fetch/unreached-site.ts'
import { invalidManifest } from '../../../invalid-manifest.ts'
import type { Attempt } from '../attempt.ts'

/** Enough for every metadata document, and parsed at once. */
const maxBytes = 64 * 1024

/** `isAbsent`: nothing is published at the address, so that another one may be tried. */
export type Metadata = { document: Record<string, unknown> } | { problem: CodedError; isAbsent: boolean }

/** Reads a JSON document about the sign-in within the time of the attempt. Never throws because of a stranger. */
export async function readMetadata(fetch: SafeFetch, url: string, attempt: Attempt): Promise<Metadata> {
  const timeoutMs = Math.max(0, attempt.endsAt - performance.now())
  const headers = { accept: 'application/json' }
  const { signal } = attempt
  try {
    return read(url, await fetch({ url, method: 'GET', headers, timeoutMs, maxBytes, ignoreEvents: true, signal }))
  } catch (error) {
    if (error instanceof SafeFetchError) return unread(url, error)
    throw error
  }
}

function read(url: string, { status, body }: SafeResponse): Metadata {
  if (status !== 200) return missing(`${quotedWords(url)} responded with status ${status}.`, isAbsent(status))
  const parsed = parseJson(decodeUtf8(body) ?? '', { maxDepth: 20 })
  if (parsed.ok && isObject(parsed.value)) return { document: parsed.value }
  return { problem: invalidSignIn(`${quotedWords(url)} is not a JSON object`), isAbsent: true }
}

/** 429 says nothing about the document. */
const isAbsent = (status: number): boolean => status < 500 && status !== 408 && status !== 429

function unread(url: string, { reason, message }: SafeFetchError): Metadata {
  const at = quotedWords(url)
  if (reason === 'refused-address') return refused(`${at}: ${refusedAddress}`)
  if (reason === 'invalid-url') return refused(`${at}: ${message}`)
  if (reason === 'too-large') return refused(`${at} is larger than ${maxBytes} bytes.`)
  return missing(`${at} ${noAnswerInWords(reason)}.`, reason === 'redirect')
}

const refused = (sentence: string): Metadata => ({
  problem: invalidManifest([{ path: '', message: `${about} ${sentence}` }]),
  isAbsent: false,
})

const missing = (sentence: string, absent: boolean): Metadata => ({
  problem: new CodedError('MANIFEST_NOT_FOUND', { message: `${about} ${sentence}` }),
  isAbsent: absent,
})

const about = 'The MCP server requires sign-in, but its metadata cannot be read.'

/** MANIFEST_INVALID for metadata that was read. The problem is a clause. */
export const invalidSignIn = (problem: string): CodedError =>
  invalidManifest([{ path: '', message: `The MCP server requires sign-in, but ${problem}.` }])

/** The texts in a list of a document. The size of the document bounds their number. */
export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? (value as unknown[]).filter((one) => typeof one === 'string') : []

/** The first document of these addresses, in order; undefined if none is published. */
export async function firstDocument(
  fetch: SafeFetch,
  urls: readonly string[],
  attempt: Attempt,
): Promise<Record<string, unknown> | undefined> {
  for (const url of urls) {
    const read = await readMetadata(fetch, url, attempt)
    if ('document' in read) return read.document
    if (!read.isAbsent) throw read.problem
  }
  return undefined
}
