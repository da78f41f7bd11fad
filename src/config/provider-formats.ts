import * as v from 'valibot'

/** The formats of what goes into requests to AI providers. No message quotes the value. */

/** The address of a provider, to which adapters append a path; trailing slashes are removed. */
export const baseUrl = v.pipe(
  v.string('must be a text'),
  v.trim(),
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? addressProblem(dataset.value) : undefined
    if (message !== undefined) addIssue({ message })
  }),
  v.transform((address) => address.replace(/\/+$/, '')),
)

/** `fetch` refuses addresses with a user or a password. */
function addressProblem(written: string): string | undefined {
  const address = /\s/.test(written) ? null : URL.parse(written)
  if (!address) return 'must be a complete URL'
  if (!/^https?:/i.test(written)) return 'must begin with https:// or http://'
  if (address.username || address.password)
    return 'must not contain a user or a password; give a key, or headers in MODELS_FILE'
  return undefined
}
