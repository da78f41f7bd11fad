import { settingGroups } from '../../src/config/setting-groups.ts'
import { pageOf, table } from './table.ts'
import { describe, ruleOf } from './settings.ts'

/** docs/reference/settings.md. */
export const settingsPage = (): string =>
  pageOf(
    '# Settings',
    'You configure Switchyard with environment variables. `npm start` needs none and also reads a file named `.env`.',
    'To keep a secret out of the environment, put it into a file and add `_FILE` to the name: `VAULT_KEYS_FILE` names a file that contains the value of `VAULT_KEYS`. A process with an invalid setting does not start and reports every problem. [Configure](../operate/configure.md) explains the settings that every installation needs.',
    ...settingGroups.flatMap(({ title, settings }) => [
      `## ${title}`,
      table(['Setting', 'Default', 'Meaning'], Object.entries(settings).map(rowOf)),
    ]),
  )

function rowOf([name, meaning]: [string, string]): string[] {
  const { fallback, isRequired } = describe(name)
  const shown = fallback === undefined ? (isRequired ? 'required' : 'none') : `\`${fallback}\``
  return [`\`${name}\``, shown, [inMarkdown(meaning), ...ruleOf(name)].join(' ')]
}

/** Escapes the special characters of Markdown, except in code. */
const inMarkdown = (text: string): string =>
  text.replaceAll(/`[^`]*`|[*<\\]/g, (found) => (found.startsWith('`') ? found : `\\${found}`))
