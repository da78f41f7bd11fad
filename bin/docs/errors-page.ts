import { codesOf } from '../../api/route/route-rules.ts'
import { routes } from '../../api/routes.ts'
import { catalogue, type ErrorCode } from '../../src/errors.ts'
import { remedies } from './remedies.ts'
import { pageOf, table } from './table.ts'

const example = `\`\`\`json
{
  "error": "The request is invalid. The details list the fields to correct.",
  "code": "VALIDATION_ERROR",
  "statusCode": 400,
  "details": [{ "path": "name", "message": "is required" }]
}
\`\`\``

/** docs/reference/errors.md: the meaning of each code, whether to retry, and how many operations return it. */
export const errorsPage = (): string =>
  pageOf(
    '# Errors',
    'All error responses have a JSON body in the same format:',
    example,
    [
      '- `code` is for programs. Its meaning never changes.',
      '- `error` is for people. It can be more specific than the sentence in the table below.',
      '- `details` lists the fields that are wrong. Only errors about invalid input have it.',
      '- The `X-Request-Id` header identifies the request. Quote it when you ask for help.',
    ].join('\n'),
    '## When to try again',
    'Send the request again if the table says yes under *Retry*. If the response has a `Retry-After` header, wait that many seconds first. For the other codes, the same request would fail again: change it, or fix the problem that the message names.',
    '## Headers',
    [
      '- A 401 response has a `WWW-Authenticate` header. Its value is `Bearer`, with `error="invalid_token"` if you sent a token that was rejected. For `WEBHOOK_SECRET_INVALID`, it is `Webhook` and names the missing or wrong `header`.',
      "- A 405 response lists the path's methods in `Allow`.",
      '- A 429 response always has `Retry-After`.',
    ].join('\n'),
    '## Codes',
    "The codes are those in [the specification](../specification.md#codes) and three more: `INTERNAL_ERROR` for errors without their own code, `METHOD_NOT_ALLOWED` for methods that a path does not support, and `REQUEST_TIMEOUT` for requests that arrive too slowly. *Operations* is the number of operations that can return the code; the [API reference](../openapi.json) lists each operation's codes.",
    table(['Code', 'Status', 'Retry', 'Operations', 'Meaning'], (Object.keys(catalogue) as ErrorCode[]).map(rowOf)),
  )

const withRemedy = (code: ErrorCode, message: string): string =>
  [message, ...(remedies[code] === undefined ? [] : [remedies[code]])].join(' ')

function rowOf(code: ErrorCode): string[] {
  const { status, message, retryable } = catalogue[code]
  const operations = routes.filter((route) => codesOf(route).includes(code)).length
  return [`\`${code}\``, String(status), retryable ? 'yes' : 'no', String(operations), withRemedy(code, message)]
}
