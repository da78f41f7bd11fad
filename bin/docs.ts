import { writeFile } from 'node:fs/promises'
import { openapi } from '../api/openapi/openapi.ts'
import { codesOf } from '../api/route/route-rules.ts'
import { routes } from '../api/routes.ts'
import { catalogue, type ErrorCode } from '../src/errors.ts'

/** `npm run docs`: writes the generated documents. A test fails when they are out of date. */

const here = (file: string): URL => new URL(`../docs/${file}`, import.meta.url)

/** The error catalogue as a page: the meaning of each code, whether to retry, and how many routes return it. */
export function errorsPage(): string {
  const rows = (Object.keys(catalogue) as ErrorCode[]).map((code) => {
    const { status, message, retryable } = catalogue[code]
    const answering = routes.filter((route) => codesOf(route).includes(code)).length
    return `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${answering} | ${message} |`
  })
  return [
    '# Errors',
    '',
    'Every error response is `{ "error", "code", "statusCode" }`. For invalid input it also has `details`, a list of',
    '`{ "path", "message" }`. The header `X-Request-Id` identifies the request; quote it when you ask for help. `error` is',
    'for people, and may say more than the sentence below; programs should use `code`.',
    '',
    'The codes are those of [the specification](specification.md#codes), with one addition: `INTERNAL_ERROR`, for errors for',
    'which there is no other code. *Again* says whether the same request may succeed later. *Routes* counts the operations',
    'that can return the code; `/openapi.json` lists them. A code with 0 belongs to a part of the platform that is not',
    'built yet.',
    '',
    '| code | status | again | routes | meaning |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** The OpenAPI document with a neutral server address. */
export const openapiFile = (): string => `${JSON.stringify(openapi(routes, 'http://127.0.0.1:3000'), null, 2)}\n`

if (import.meta.main) {
  await writeFile(here('errors.md'), errorsPage())
  await writeFile(here('openapi.json'), openapiFile())
  console.log('Written: docs/errors.md, docs/openapi.json')
}
