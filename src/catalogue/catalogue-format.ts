import * as v from 'valibot'
import { onlyMembers } from '../config/only-members.ts'
import { siteUrlProblem } from '../safe-fetch/site-url.ts'
import { dialectNames } from '../sites/dialects/dialect-name.ts'

/** The format of an entry of the catalogue (docs/operate/catalogue.md). */

const text = (max: number) =>
  v.pipe(v.string(), v.nonEmpty('must not be empty'), v.maxLength(max, `must have at most ${max} characters`))

/** The problem of an address that POST /vault would refuse. A fragment names one of several sites at an address. */
function addressProblem(address: string): string | undefined {
  const at = address.indexOf('#')
  const parts = at === -1 ? [address] : [address.slice(0, at), address.slice(at + 1)]
  const problem = parts.map(siteUrlProblem).find((found) => found !== undefined)
  return problem === undefined ? undefined : `is not usable. ${problem}`
}

const address = v.pipe(
  v.string(),
  v.check(
    (written) => addressProblem(written) === undefined,
    ({ input }) => addressProblem(input) ?? '',
  ),
)

/** How users sign in, in the words of manifests. */
export const authTypes = ['none', 'bearer', 'oauth2'] as const

export const catalogueFile = onlyMembers({
  name: text(100),
  dialect: v.picklist(dialectNames),
  address,
  authType: v.picklist(authTypes),
  /** Where users create a token. */
  tokenHelp: v.optional(text(500)),
  notes: v.optional(v.pipe(v.string(), v.maxLength(1000, 'must have at most 1000 characters')), ''),
  tags: v.optional(v.pipe(v.array(text(32)), v.maxLength(10, 'must have at most 10 items')), []),
  /** Connects the site for everyone who starts a template. It is never shown. */
  token: v.optional(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,8192}$/, 'must be 1 to 8192 visible characters'))),
})

type Written = v.InferOutput<typeof catalogueFile>

/** A site that the operator suggests. `id` is the name of its file without the extension. */
export type CatalogueEntry = Written & { id: string }

/** What members say against each other. */
export function contradictions({ authType, tokenHelp, token }: Written): string[] {
  if (authType === 'bearer')
    return tokenHelp === undefined
      ? ['tokenHelp is missing. Say in a sentence where users create a token, or change authType']
      : []
  const tokens = Object.entries({ tokenHelp, token }).filter(([, value]) => value !== undefined)
  return tokens.map(([member]) => `${member} is only for an authType of bearer`)
}
