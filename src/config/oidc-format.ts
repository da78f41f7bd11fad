import * as v from 'valibot'
import { parseSiteUrl } from '../safe-fetch/site-url.ts'
import { onlyMembers } from './only-members.ts'

/** The format of an operator's OpenID Connect providers (docs/operate/sign-in.md). No message quotes the value. */

const issuerInWords = "must be the provider's issuer: a URL that starts with https:// and has no query"

/** Whether a text is a valid issuer (OpenID Connect Discovery, 3): `https`, without a query or a fragment. */
function isIssuer(written: string): boolean {
  try {
    return parseSiteUrl(written).search === '' && !written.includes('?')
  } catch {
    return false
  }
}

/** Kept as written, for comparison with the provider's own statement. */
export const issuer = v.pipe(v.string(issuerInWords), v.check(isIssuer, issuerInWords))

const clientIdInWords = 'must be 1 to 255 visible characters'
/** A client identifier (RFC 6749, A.1). */
export const clientId = v.pipe(v.string(clientIdInWords), v.regex(/^[\x21-\x7e]{1,255}$/, clientIdInWords))

const secretInWords = 'must be 1 to 1000 visible characters'
/** A client's secret (RFC 6749, A.2). */
export const clientSecret = v.pipe(
  v.string('is not set'),
  v.trim(),
  v.nonEmpty('is not set'),
  v.regex(/^[\x20-\x7e]{1,1000}$/, secretInWords),
)

const titleInWords = 'must be 1 to 60 visible characters'
export const title = v.pipe(
  v.string(titleInWords),
  v.trim(),
  v.regex(/^[^\p{C}]{1,60}$/u, titleInWords),
  v.regex(/[^\s\p{Z}]/u, titleInWords),
)

const nameInWords = 'must be 1 to 32 lowercase letters, digits or hyphens, and start with a letter'
const variableInWords = 'must be the name of an environment variable'
const pathInWords = 'must be a file path'

export const oidcProvider = onlyMembers({
  // No workspace id has this form. Both occur in the same place of addresses.
  name: v.pipe(v.string(nameInWords), v.regex(/^[a-z][a-z\d-]{0,31}$/, nameInWords)),
  title: v.optional(title),
  issuer,
  clientId,
  clientSecretEnv: v.optional(v.pipe(v.string(variableInWords), v.regex(/^[A-Za-z_]\w*$/, variableInWords))),
  clientSecretFile: v.optional(v.pipe(v.string(pathInWords), v.nonEmpty(pathInWords))),
})

export const oidcFile = onlyMembers({
  providers: v.pipe(
    v.array(oidcProvider, 'must be a list'),
    v.minLength(1, 'must list at least one provider'),
    v.maxLength(20, 'must list at most 20 providers'),
  ),
})

export type WrittenOidcProvider = v.InferOutput<typeof oidcProvider>
