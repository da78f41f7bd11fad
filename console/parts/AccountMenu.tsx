import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { to } from '../addresses.ts'
import { problemOf } from '../api/problem.ts'
import { Menu } from '../design/Menu.tsx'
import { notify } from '../design/notices.ts'
import { chooseTheme, themes, useTheme } from '../design/theme.ts'
import { accountQuery } from '../session/account.ts'
import { signOut } from '../session/sign-in.ts'
import { showShortcutList } from './shortcut-setting.ts'

const colours = { system: "The system's colours", light: 'Light', dark: 'Dark' } as const

/** Who is signed in, the colours, the guide and the way out. */
export const AccountMenu = () => {
  const account = useSuspenseQuery(accountQuery).data
  const theme = useTheme()
  const navigate = useNavigate()
  const leave = async () => {
    await signOut()
    await navigate(to.signIn())
  }
  return (
    <Menu
      label={`Account: ${account?.email ?? ''}`}
      button={<span>Account</span>}
      items={[
        ...themes.map((name) => ({
          id: name,
          name: colours[name],
          text: colours[name],
          isChosen: name === theme,
          onAction: () => chooseTheme(name),
        })),
        { id: 'keys', name: 'Keyboard shortcuts', text: 'Keyboard shortcuts', onAction: () => showShortcutList(true) },
        {
          id: 'apps',
          name: 'Connected apps',
          text: 'Connected apps',
          onAction: () => void navigate(to.apps()),
        },
        { id: 'guide', name: 'Guide', text: 'Guide', onAction: () => void window.open('/docs', '_blank', 'noopener') },
        {
          id: 'out',
          name: 'Sign out',
          text: 'Sign out',
          onAction: () => void leave().catch((error: unknown) => notify('problem', problemOf(error).sentence)),
        },
      ]}
    />
  )
}
