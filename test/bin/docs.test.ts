// @promise openapi
import { readFile } from 'node:fs/promises'
import test from 'ava'
import { generated } from '../../bin/docs.ts'

for (const [file, make] of Object.entries(generated)) {
  test(`${file} is what npm run docs would write now`, async (t) => {
    t.is(await readFile(new URL(`../../${file}`, import.meta.url), 'utf8'), make(), 'run: npm run docs')
  })
}
