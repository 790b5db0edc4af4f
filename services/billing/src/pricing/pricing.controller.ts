import { Controller } from '@nestjs/common';
import { isAdmin, routes } from '@tollgate/contracts';
import type { PricingReply, UserGroups } from '@tollgate/contracts/api/pricing';
import { AppError, type Caller, CurrentCaller, OptionalCaller, OptionStore, RawReply, Route } from '@tollgate/chassis';
import { userGroupRatioOf } from '@tollgate/pricing';
import { AbilityDirectory } from './ability-directory.js';
import { priceList } from './price-list.js';
import { PriceService } from './price.service.js';
import { groupRatioOf, usableGroups } from './usable-groups.js';

@Controller()
export class PricingController {
  constructor(
    private readonly prices: PriceService,
    private readonly abilities: AbilityDirectory,
    private readonly options: OptionStore,
  ) {}

  /**
   * Every caller sees all models. Administrators see all groups of a model; others only those they may use, which can
   * be none.
   */
  @Route(routes.listPricing)
  async pricing(@OptionalCaller() caller: Caller | undefined): Promise<RawReply> {
    const [{ document }, abilities] = await Promise.all([this.prices.current(), this.abilities.list()]);
    if (!document) throw new AppError('unavailable', 'prices-not-published', '价格尚未生效，请稍后重试');
    const groups = usableGroups(this.options.get('UserUsableGroups'), caller?.group);
    // A group without a ratio is refused where it is named, so it has no price; the caller's own needs no name.
    const isServed = (group: string) => group === caller?.group || Object.hasOwn(document.groupRatio, group);
    const knowsAll = caller !== undefined && isAdmin(caller.role);
    const reply: PricingReply = {
      success: true,
      message: '',
      data: priceList(abilities, document, (group) => knowsAll || Object.hasOwn(groups, group)),
      group_ratio: Object.fromEntries(
        Object.keys(groups)
          .filter(isServed)
          .map((group) => [
            group,
            userGroupRatioOf(document, group, caller?.group) ?? groupRatioOf(document.groupRatio, group),
          ]),
      ),
      usable_group: groups,
    };
    return new RawReply(reply);
  }

  @Route(routes.listGroups)
  async groups(): Promise<string[]> {
    return Object.keys(this.options.get('GroupRatio'));
  }

  @Route(routes.listOwnGroups)
  ownGroups(@CurrentCaller() caller: Caller): Promise<UserGroups> {
    return this.ratedGroups(caller.group);
  }

  @Route(routes.listUserGroups)
  userGroups(@OptionalCaller() caller: Caller | undefined): Promise<UserGroups> {
    return this.ratedGroups(caller?.group);
  }

  private async ratedGroups(ownGroup: string | undefined): Promise<UserGroups> {
    const ratios = this.options.get('GroupRatio');
    const special = { groupGroupRatio: this.options.get('GroupGroupRatio') };
    const ratioOf = (name: string): number => userGroupRatioOf(special, name, ownGroup) ?? groupRatioOf(ratios, name);
    const usable = Object.entries(usableGroups(this.options.get('UserUsableGroups'), ownGroup));
    return Object.fromEntries(
      usable
        .filter(([name]) => Object.hasOwn(ratios, name))
        .map(([name, desc]) => [name, { ratio: ratioOf(name), desc }]),
    );
  }
}
