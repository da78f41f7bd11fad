import { settingGroups } from '../../src/config/setting-groups.ts'
import { describe, ruleOf } from './settings.ts'

const width = 120

const introduction = `# All of Switchyard's settings and their defaults. Copy this file to .env, and uncomment the settings that you change.
# \`npm start\` needs none of them. Everywhere else, settings marked "Required" must be set.
# To read a value from a file, add _FILE to the name: DATABASE_URL_FILE names the file that contains the value of DATABASE_URL.
# \`npm run docs\` writes this file.`

/** .env.example. */
export const envExample = (): string =>
  `${[introduction, ...settingGroups.map(({ title, settings }) => `${ruler(title)}\n\n${Object.entries(settings).map(entryOf).join('\n')}`)].join('\n\n')}\n`

const ruler = (title: string): string => `# --- ${title} `.padEnd(width, '-')

function entryOf([name, meaning]: [string, string]): string {
  const { fallback, isRequired } = describe(name)
  const lines = [...(isRequired ? ['Required.'] : []), meaning, ...ruleOf(name)].join(' ').split('\n')
  return `${lines.map(wrapped).join('\n')}\n# ${name}=${fallback ?? ''}`
}

/** Wraps text into lines that start with `# `. */
function wrapped(text: string): string {
  const lines: string[] = ['#']
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`
    if (line.length <= width) lines[lines.length - 1] = line
    else lines.push(`# ${word}`)
  }
  return lines.join('\n')
}
