// @promise openapi
import { readFile } from 'node:fs/promises'
import test from 'ava'
import { errorsPage, openapiFile } from '../../bin/docs.ts'

const read = (file: string) => readFile(new URL(`../../docs/${file}`, import.meta.url), 'utf8')

test('the generated documents are those that npm run docs would write now', async (t) => {
  t.is(await read('errors.md'), errorsPage(), 'run: npm run docs')
  t.is(await read('openapi.json'), openapiFile(), 'run: npm run docs')
})
