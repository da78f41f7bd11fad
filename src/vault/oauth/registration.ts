import * as v from 'valibot'
import { CodedError } from '../../errors.ts'
import { decodeUtf8, isObject, parseJson } from '../../json.ts'
import { quotedWords } from '../../names.ts'
import { SafeFetchError, type SafeFetch, type SafeResponse } from '../../safe-fetch/safe-fetch.ts'
import { noAnswerInWords } from '../../safe-fetch/unreached-site.ts'
import type { ClientSecret, SiteClient } from '../credential.ts'

export const secretMethods = ['client_secret_basic', 'client_secret_post'] as const

/** What a client says about itself (RFC 7591, 2). */
export interface ClientMetadata {
  client_name: string
  client_uri: string
  redirect_uris: string[]
  grant_types: string[]
  response_types: string[]
  token_endpoint_auth_method: string
  application_type: string
}

/** Enough for a registration. */
const maxBytes = 64 * 1024

interface Place {
  url: string
  methods: readonly string[] | undefined
  scopes: readonly string[]
  timeoutMs: number
}

/**
 * Registers a client at an authorization server (RFC 7591, 3.1): a public one if the server takes those. Throws
 * TOOL_EXECUTION_ERROR with the server's words.
 */
export async function register(
  fetch: SafeFetch,
  { url, methods, scopes, timeoutMs }: Place,
  metadata: ClientMetadata,
): Promise<SiteClient> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const send = (more: { scope?: string }) => {
    const body = JSON.stringify({ ...metadata, token_endpoint_auth_method: methodToRegister(methods), ...more })
    return fetch({ url, method: 'POST', headers, body, timeoutMs, maxBytes })
  }
  try {
    // Some servers grant a client only the scopes that it registered. Others register none of a protected resource.
    const answer = await send(scopes.length > 0 ? { scope: scopes.join(' ') } : {})
    return clientIn(answer.status === 400 && scopes.length > 0 ? await send({}) : answer)
  } catch (error) {
    throw error instanceof SafeFetchError ? refused(noAnswerInWords(error.reason)) : error
  }
}

/** Without a list, RFC 8414, 2 means `client_secret_basic`, but most servers without one take public clients. */
function methodToRegister(methods: readonly string[] = ['none']): string {
  const method = ['none', ...secretMethods].find((one) => methods.includes(one))
  if (method !== undefined) return method
  throw refused(`accepts only clients that authenticate by ${quotedWords(methods.join(', '))}`)
}

const visible = (most: number) => v.pipe(v.string(), v.regex(/^[\x20-\x7e]+$/), v.maxLength(most))

/** RFC 7591, 3.2.1. A server may choose another method than the requested one. */
const registered = v.object({
  client_id: visible(2048),
  client_secret: v.nullish(visible(4096)),
  token_endpoint_auth_method: v.nullish(v.string()),
})

function clientIn({ status, body }: SafeResponse): SiteClient {
  const parsed = parseJson(decodeUtf8(body) ?? '', { maxDepth: 20 })
  const value = parsed.ok && isObject(parsed.value) ? parsed.value : {}
  if (status < 200 || status > 299) throw refused(`responded with status ${status}${wordsIn(value)}`)
  const read = v.safeParse(registered, value)
  if (!read.success) throw refused('responded without a usable client id')
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: method } = read.output
  if (typeof secret !== 'string' || method === 'none') return { id }
  return { id, secret: { value: secret, method: methodOf(method ?? 'client_secret_basic') } }
}

function methodOf(name: string): ClientSecret['method'] {
  const method = secretMethods.find((one) => one === name)
  if (method) return method
  throw refused(`registered a client that authenticates by ${quotedWords(name)}`)
}

function wordsIn({ error, error_description: description }: Record<string, unknown>): string {
  const words = [error, description].filter((one) => typeof one === 'string')
  return words.length === 0 ? '' : ` and said ${quotedWords(...words)}`
}

/** The reason is the end of a sentence about the endpoint. */
const refused = (reason: string): CodedError =>
  new CodedError('TOOL_EXECUTION_ERROR', {
    message: `The site did not register the platform as a client, because its registration endpoint ${reason}. You can register a client at the site and send its id as "clientId".`,
  })
