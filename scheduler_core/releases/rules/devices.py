"""Rules of DynamicResources' allocators that differ between releases (k8s.io/dynamic-resource-allocation)."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Text
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class DeviceRules:
    """Rules of the allocators. 1.34 uses the allocator "experimental", 1.35 and 1.36 "incubating"."""

    pools_are_complete_across_nodes: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/pools_incubating.go: GatherPools",
        {
            True: Text(
                "a pool is complete if its slices for all nodes exist; an incomplete pool provides no devices",
                "池的完整与否按它在所有节点上的 ResourceSlice 计算，不完整的池不提供设备",
            ),
            False: Text(
                "a pool is complete if its slices for this node exist; an incomplete pool still provides devices",
                "池的完整与否只按它在该节点上的 ResourceSlice 计算，不完整的池也提供设备",
            ),
        },
    )
    invalid_pools_are_skipped: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: allocateOne",
        {
            True: Text("a pool that has a device twice is skipped", "同名设备出现两次的池被跳过"),
            False: Text(
                "a pool that has a device twice ends the attempt with an error when the search reaches it",
                "搜索遇到同名设备出现两次的池时，这次尝试以错误结束",
            ),
        },
    )
    results_have_class_configs_once: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: Allocate",
        {
            True: Text(
                "an allocation contains the configuration of a class once", "分配结果中，一个设备类的配置只出现一次"
            ),
            False: Text(
                "an allocation contains the configuration of a class once for each request of the class",
                "分配结果中，使用某设备类的每个请求都带有该类的配置",
            ),
        },
    )
    all_subrequests_keep_their_place: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: allocateOne",
        {
            True: Text("a subrequest for all devices takes each of them", "要求全部设备的子请求取得其中的每一个"),
            False: Text(
                (
                    "a subrequest for all devices that is not the first takes one device and continues with the first "
                    "subrequest"
                ),
                "不是第一个的“全部设备”子请求只取一个设备，然后转到第一个子请求",
            ),
        },
    )
    devices_are_tried_in_one_order: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: allocateOne",
        {
            True: Text("the devices of a request are tried in one order", "一个请求的设备只按一种顺序尝试"),
            False: Text(
                "the devices of a request are tried in every order, which takes much longer",
                "一个请求的设备按所有顺序尝试，耗时长得多",
            ),
        },
    )
    device_search_that_times_out_is_an_error: bool = rule(
        "DynamicResources",
        "plugins/dynamicresources/dynamicresources.go: Filter",
        {
            True: Text(
                "a search for devices that takes too long ends the attempt with an error",
                "搜索设备耗时过长时，这次尝试以错误结束",
            ),
            False: Text(
                "a search for devices that takes too long rejects the node", "搜索设备耗时过长时，该节点被拒绝"
            ),
        },
    )
    slices_of_the_node_come_first: bool = rule(
        "DynamicResources",
        "structured/internal/incubating/allocator_incubating.go: Allocate",
        {
            True: Text(
                "if slices of a pool state different slice counts, the first slice for the node alone decides",
                "同一个池的 ResourceSlice 所写的数量不一致时，以只属于该节点的第一个为准",
            ),
            False: Text(
                "if slices of a pool state different slice counts, the first slice decides",
                "同一个池的 ResourceSlice 所写的数量不一致时，以第一个为准",
            ),
        },
    )
