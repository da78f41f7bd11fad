import type { SafeFetchReason } from './safe-fetch-error.ts'

/** For a site whose host, as written, is neither a public address nor allowed. */
export const refusedAddress =
  'The site does not have a public internet address. The platform operator can allow it with SITE_ALLOW.'

/**
 * For any other unreachable site. An unknown name, a name with a forbidden address and a closed port share one
 * sentence, because a difference would let a stranger map this server's network.
 */
export const unreached =
  'The site could not be reached. Its host name is unknown, nothing responds at its address, or the address is not on the public internet.'

/**
 * Why an endpoint gave no usable response, as the end of a sentence about it. Here, too, an unknown name and a closed
 * port share their words.
 */
export const noAnswerInWords = (reason: SafeFetchReason): string => words[reason] ?? 'could not be reached'

const words: Partial<Record<SafeFetchReason, string>> = {
  tls: 'could not be reached securely',
  timeout: 'did not respond in time',
  reset: 'closed the connection before sending a full response',
  'too-large': 'sent a response over the size limit',
  encoding: 'sent a response that could not be decoded',
  redirect: 'responded with a redirect, and redirects are not followed',
}
