export const texts = {
  title: '系统初始化',
  purpose: '创建管理员账号，选择系统的使用模式。完成后会自动登录。',
  purposeGoOn: '管理员账号已存在，请选择系统的使用模式，完成后使用该账号登录。',
  submit: '初始化系统',
  done: '系统初始化成功，正在跳转...',
  database: {
    title: '数据库警告',
    persistence:
      '您正在使用 SQLite 数据库。如果在容器环境中运行，请确保已正确设置数据库文件的持久化映射，否则容器重启后所有数据将丢失！',
    production: '建议在生产环境中使用 MySQL 或 PostgreSQL 数据库，或确保 SQLite 数据库文件已映射到宿主机的持久化存储。',
  },
  token: {
    title: '安全确认',
    label: '初始化令牌',
    why: '此页面不是在运行系统的机器上打开的。为了防止他人抢先初始化，请填写系统启动时显示的一次性令牌。',
    where: '见启动输出或日志中 set-up token 开头的一行，或环境变量 TOLLGATE_SETUP_TOKEN 的值',
  },
  admin: {
    title: '管理员账号',
    username: '用户名',
    usernameHint: '请输入管理员用户名',
    password: '密码',
    passwordHint: '请输入管理员密码',
    confirm: '确认密码',
    confirmHint: '请确认管理员密码',
    exists: '管理员账号已经初始化过，请继续设置系统参数',
  },
  system: { title: '系统设置' },
  mode: {
    label: '使用模式',
    hint: '可在初始化后修改',
    help: '使用模式说明',
    external: {
      name: '对外运营模式',
      consequence: '多用户使用，按用量计费。每个模型都必须设置价格，否则用户无法使用。',
      explanation:
        '默认模式，适用于为多个用户提供服务。所有用量都会计量和记账，因此每个模型都需要设置价格或倍率；没有价格的模型会被拒绝调用。',
    },
    self: {
      name: '自用模式',
      consequence: '只供自己使用。模型不需要设置价格即可调用，同时关闭注册。',
      explanation:
        '适用于个人使用。没有设置价格的模型也可以调用，并按默认倍率计量；新用户注册关闭，菜单中不再显示注册入口。',
    },
    demo: {
      name: '演示站点模式',
      consequence: '用于展示系统功能，页面上会显示演示站点标记。',
      explanation: '适用于展示系统的功能。计费规则与对外运营模式相同，系统名称旁边会显示「演示站点」标记。',
    },
  },
  error: {
    token: '请填写初始化令牌',
    username: '请输入管理员用户名',
    password: '密码长度至少为8个字符',
    confirm: '两次输入的密码不一致',
    failed: '系统初始化失败，请重试',
    status: '获取初始化状态失败',
  },
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    setup: typeof texts;
  }
}
