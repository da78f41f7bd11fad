import { fileURLToPath } from 'node:url'
import { rules } from './house/rules.ts'
import { readHouse } from './house/source.ts'

/** `npm run check -- house`: holds the code against the rules of the house, and names every place that breaks one. */
const files = readHouse(fileURLToPath(new URL('..', import.meta.url)))
const broken = rules
  .map(({ name, check }) => ({ name, violations: check(files) }))
  .filter(({ violations }) => violations.length > 0)

for (const { name, violations } of broken) {
  console.error(`✘ ${name}`)
  for (const { path, problem } of violations) console.error(`    ${path} ${problem}`)
}
if (broken.length > 0) process.exit(1)
console.log(`${rules.length} rules of the house hold in ${files.length} files`)
