/** Workspaces, their members and their invitations. */
export const workspaces = `
  create table workspaces (
    -- the id of its owner row
    id uuid not null,
    created_at timestamptz not null,
    deleted_at timestamptz,
    -- the paying user: the only member with the role owner
    payer_id uuid not null,
    name text not null,
    -- credits that its runs and chats may use per calendar month (UTC); null: no cap
    credits_per_month bigint,
    -- what happens to the sites that a leaving member has connected
    connections_of_leavers text not null default 'keep',
    constraint workspaces_pkey primary key (id),
    constraint workspaces_owner_fk foreign key (id) references owners (id),
    constraint workspaces_payer_fk foreign key (payer_id) references users (id),
    constraint workspaces_name_length check (char_length(name) between 1 and 1000),
    constraint workspaces_cap check (credits_per_month >= 0),
    constraint workspaces_connections_of_leavers check (connections_of_leavers in ('keep', 'remove'))
  );
  create index workspaces_payer on workspaces (payer_id);

  create table members (
    id uuid not null,
    workspace_id uuid not null,
    user_id uuid not null,
    joined_at timestamptz not null,
    -- the member may take the workspace over until then, if its owner offered that
    offered_until timestamptz,
    role text not null,
    constraint members_pkey primary key (id),
    constraint members_once unique (workspace_id, user_id),
    constraint members_workspace_fk foreign key (workspace_id) references workspaces (id) on delete cascade,
    constraint members_user_fk foreign key (user_id) references users (id),
    constraint members_role check (role in ('owner', 'admin', 'member', 'viewer')),
    constraint members_offered check (offered_until is null or role <> 'owner')
  );
  create unique index members_one_owner on members (workspace_id) where role = 'owner';
  create unique index members_one_offer on members (workspace_id) where offered_until is not null;
  create index members_list on members (workspace_id, id);
  create index members_of_user on members (user_id);

  create table invitations (
    id uuid not null,
    workspace_id uuid not null,
    invited_by uuid not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    -- accepted or withdrawn
    ended_at timestamptz,
    accepted_by uuid,
    email text not null,
    role text not null,
    token_hash text not null,
    constraint invitations_pkey primary key (id),
    constraint invitations_token_unique unique (token_hash),
    constraint invitations_workspace_fk foreign key (workspace_id) references workspaces (id) on delete cascade,
    constraint invitations_inviter_fk foreign key (invited_by) references users (id),
    constraint invitations_accepter_fk foreign key (accepted_by) references users (id),
    constraint invitations_email_length check (char_length(email) between 3 and 254),
    constraint invitations_role check (role in ('admin', 'member', 'viewer')),
    constraint invitations_accepted check (accepted_by is null or ended_at is not null)
  );
  -- One open invitation per address.
  create unique index invitations_open on invitations (workspace_id, email) where ended_at is null;
  create index invitations_list on invitations (workspace_id, id);
  create index invitations_inviter on invitations (invited_by);
  create index invitations_accepter on invitations (accepted_by);
  -- Invitations to an address are deleted with its account.
  create index invitations_email on invitations (email);

  -- Credits that a workspace used in a calendar month (UTC), for its cap. The ledger has each entry. Outlives the
  -- workspace.
  create table workspace_months (
    workspace_id uuid not null,
    month date not null,
    credits bigint not null,
    -- credits by day of the month; null: none
    days bigint[] not null default '{}',
    constraint workspace_months_pkey primary key (workspace_id, month),
    constraint workspace_months_owner_fk foreign key (workspace_id) references owners (id),
    constraint workspace_months_credits check (credits >= 0)
  ) with (fillfactor = 50);

  -- Advances whenever somebody loses access, so that open streams are rechecked immediately. It has begun already: the
  -- first number of a new sequence would look like no change.
  create sequence access_changes;
  select setval('access_changes', 1);
`
