import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { to } from '../addresses.ts'
import { Menu } from '../design/Menu.tsx'
import { accountQuery, ownersOf, workspacesQuery } from '../session/account.ts'
import type { Owner } from '../session/workspace.ts'
import styles from './OwnerMenu.module.css'

/** The workspace that the pages show, and the others. A change keeps the page. */
export const OwnerMenu = ({ owner }: { owner: Owner }) => {
  const account = useSuspenseQuery(accountQuery).data
  const workspaces = useSuspenseQuery(workspacesQuery).data
  const navigate = useNavigate()
  const page = useRouterState({ select: ({ location }) => location.pathname.split('/')[3] })
  // A run or an approval belongs to one owner, so its list is shown instead.
  const open = (id: string) =>
    void navigate(
      page === 'runs'
        ? to.runs(id)
        : page === 'agents'
          ? to.agents(id)
          : page === 'approvals'
            ? to.approvals(id)
            : page === 'sites'
              ? to.sites(id)
              : to.home(id),
    )
  return (
    <Menu
      label={`Workspace: ${owner.name}`}
      button={
        <>
          <img src="/console/icon.svg" alt="" width={20} height={20} />
          <span className={styles.name}>{owner.name}</span>
          <span aria-hidden="true" className={styles.arrow}>
            ▾
          </span>
        </>
      }
      items={ownersOf(account, workspaces).map(({ id, name }) => ({
        id,
        name,
        text: name,
        isChosen: id === owner.address,
        onAction: () => open(id),
      }))}
    />
  )
}
