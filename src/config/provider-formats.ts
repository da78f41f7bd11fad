import { isObject } from '../json.ts'
import * as v from 'valibot'

/** The formats of values in requests to AI providers. No message quotes the value. */

/** The address of a provider, to which adapters append a path. Trailing slashes are removed. */
export const baseUrl = v.pipe(
  v.string('must be a string'),
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
  if (!/^https?:/i.test(written)) return 'must start with https:// or http://'
  if (address.username || address.password)
    return 'must not contain a user name or password. Set a key, or headers in MODELS_FILE'
  // Even an empty one would absorb the path.
  if (/[?#]/.test(written)) return 'must not have a query or a fragment, because paths are appended to it'
  return undefined
}

/** The valid characters of a header's value (RFC 9110, section 5.5), as undici checks them. */
const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/
/** A token (RFC 9110, section 5.1). */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/
const notSendable = 'a line break or another character that a header cannot contain'

/** The value of a key's variable. Editors and shells leave a line break at its end. */
export const key = v.pipe(v.string(), v.trim(), v.nonEmpty('is not set'), v.regex(headerValue, `has ${notSendable}`))

/** Headers that `fetch` refuses or drops. */
const ofTheConnection = 'Connection Content-Length Expect Host Keep-Alive Transfer-Encoding Upgrade'.split(' ')
const isOfTheConnection = (name: string): boolean =>
  ofTheConnection.some((one) => one.toLowerCase() === name.toLowerCase())

const each = (right: (header: [name: string, value: string]) => boolean) => (headers: Record<string, string>) =>
  Object.entries(headers).every(right)

/** Headers of every request. A problem's path would contain the header's name, which may be a secret too. */
export const headers = v.pipe(
  v.custom<Record<string, string>>(isObject, 'must be an object'),
  v.check((given) => Object.values(given).every((one) => typeof one === 'string'), 'must contain only strings'),
  v.check(
    each(([name]) => headerName.test(name)),
    'has an invalid header name. Use a name such as X-Team',
  ),
  v.check(
    each(([name]) => !isOfTheConnection(name)),
    `must not set a connection header: ${ofTheConnection.join(', ')}`,
  ),
  v.transform((given) => Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.trim()]))),
  v.check(
    each(([, value]) => headerValue.test(value)),
    `has a value with ${notSendable}`,
  ),
)
